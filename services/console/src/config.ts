import { isIP } from 'node:net';
import { busSettings, checkBusSettings } from '@sluice/bus';
import { SubjectPrefix } from '@sluice/contracts';
import { assertionKeySetting, checkRpcClientSettings, rpcClientSettings } from '@sluice/rpc';
import {
  addressListSetting,
  checkProcessSettings,
  hasPathAlone,
  hostSetting,
  integerSetting,
  isHostAndPort,
  listSetting,
  portSetting,
  processSettings,
  readConfiguration,
  requireBothOrNeither,
  settingRefusal,
  type Environment,
} from '@sluice/service';
import * as z from 'zod';

const HOUR_MS = 3_600_000;
const KEY_BYTES = 32;

const WebAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(hasPathAlone, 'must have no user, password, query or fragment');

const PublicUrl = WebAddress.refine(
  (address) => URL.parse(address)?.pathname === '/',
  'must have no path: the console needs a host name, or a port, of its own',
).transform((address) => new URL(address).origin);

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\..*|\[::1\])$/.test(hostname);

const Issuer = WebAddress.refine((address) => {
  const url = URL.parse(address);
  return url === null || url.protocol === 'https:' || isLoopback(url);
}, 'must be an https address, unless the provider is on this machine');

/** The first key seals cookies. Every key opens them, so that a key can be replaced without signing people out. */
function cookieKeysSetting() {
  return listSetting()
    .transform((items) => items.map((item) => Buffer.from(item, 'base64url')))
    .refine(
      (keys) => keys.every(({ length }) => length === KEY_BYTES),
      'must be keys of 32 random bytes in base64url, separated by commas',
    );
}

const ConsoleSettings = z.object({
  ...processSettings,
  HOST: hostSetting(),
  PORT: portSetting().default(7005),
  /** The address of the pages, as browsers see it. With https, cookies are sent over https only. */
  PUBLIC_URL: PublicUrl,
  /** The address of the public API, as browsers see it, with its path. */
  API_URL: WebAddress.transform((address) => address.replace(/\/+$/, '')),
  /** What people accept at the end of their registration. */
  TERMS_URL: WebAddress.optional(),
  /** The folder of the built pages. If unset, it is the one that the build writes to. */
  WEB_ROOT: z.string().optional(),
  COOKIE_KEYS: cookieKeysSetting(),
  ASSERTION_KEY: assertionKeySetting(),
  /** The admin ports of the catalogs. */
  CATALOG_ADMIN_ADDRESSES: addressListSetting(),
  /** Without it, the page of limits is off. */
  QUOTA_ADDRESSES: addressListSetting().optional(),
  /** Without them, the pages of usage and requests are off. */
  USAGE_ADDRESS: z.string().refine(isHostAndPort, 'must be host:port, without a scheme').optional(),
  USAGE_TOKEN: z.string().min(32, 'must be a token of at least 32 characters').optional(),
  ...rpcClientSettings,
  ...busSettings,
  SUBJECT_PREFIX: SubjectPrefix,
  OIDC_ISSUER: Issuer.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** How long a person stays signed in. */
  SESSION_HOURS: integerSetting(1, 720).default(168),
  /** Addresses of load balancers, whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: listSetting()
    .refine(
      (items) => items.every(isAddressOrBlock),
      'must be IP addresses, or blocks such as 10.0.0.0/8, separated by commas',
    )
    .optional(),
  /** The limit of sign-in attempts for each IP address. */
  SIGN_INS_PER_MINUTE: integerSetting(1, 100_000).default(30),
  /** The limit of all requests for each account, or for each IP address of people who are not signed in. */
  REQUESTS_PER_MINUTE: integerSetting(1, 1_000_000).default(1_200),
  /** During a shutdown, new requests are still served for this long. */
  DRAIN_ANNOUNCE_MS: integerSetting(0, HOUR_MS).default(5_000),
  /** After DRAIN_ANNOUNCE_MS, open requests may take this long to finish. */
  DRAIN_LIMIT_MS: integerSetting(0, HOUR_MS).default(15_000),
});

export const SETTING_NAMES = Object.keys(ConsoleSettings.shape);

export type ConsoleSettings = z.infer<typeof ConsoleSettings>;

export function readConsoleSettings(environment: Environment): ConsoleSettings {
  const schema = ConsoleSettings.superRefine(checkProcessSettings)
    .superRefine(checkBusSettings)
    .superRefine(checkRpcClientSettings)
    .superRefine(checkTogether);
  return readConfiguration(schema, environment);
}

function checkTogether(settings: ConsoleSettings, context: z.RefinementCtx): void {
  const refuse = settingRefusal<keyof ConsoleSettings>(context);
  requireBothOrNeither(['USAGE_ADDRESS', 'USAGE_TOKEN'], settings, refuse);
  const provider = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  if (provider.every((name) => settings[name] === undefined)) return;
  for (const name of provider) {
    if (settings[name] === undefined) refuse(name, `is missing beside ${provider.join(', ')}`);
  }
}

function isAddressOrBlock(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const maxPrefix = version === 4 ? 32 : 128;
  return prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= maxPrefix);
}
