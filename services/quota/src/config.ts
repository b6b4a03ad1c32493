import { checkRpcServerSettings, rpcServerSettings } from '@sluice/rpc';
import {
  checkProcessSettings,
  hostSetting,
  integerSetting,
  listSetting,
  portSetting,
  processSettings,
  readConfiguration,
  requireBothOrNeither,
  settingRefusal,
  type Environment,
  type RefuseSetting,
} from '@sluice/service';
import * as z from 'zod';

const DEFAULT_SENTINEL_NAME = 'mymaster';
export const REDIS_IDENTITY = ['REDIS_CERT_FILE', 'REDIS_KEY_FILE'] as const;

const QuotaSettings = z.object({
  ...processSettings,
  HOST: hostSetting(),
  PORT: portSetting().default(50_051),
  ...rpcServerSettings,
  /** Depending on REDIS_MODE: the server, the sentinels, or some nodes of the cluster. rediss:// means TLS. */
  REDIS_URL: listSetting()
    .transform((urls, context) => urls.map((url) => redisUrl(url, context)))
    .refine(sameProtocol, 'must be all redis:// or all rediss://')
    .default([new URL('redis://127.0.0.1:6379')]),
  REDIS_MODE: z.enum(['single', 'sentinel', 'cluster']).default('single'),
  REDIS_SENTINEL_NAME: z.string().default(DEFAULT_SENTINEL_NAME),
  REDIS_USERNAME: z.string().optional(),
  REDIS_PASSWORD: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  REDIS_DATABASE: integerSetting(0, 1_000_000).optional(),
  /** A PEM file of CA certificates to trust instead of those of the system. */
  REDIS_CA_FILE: z.string().optional(),
  /** PEM files of the client certificate and its key. Both must be set, or neither. */
  REDIS_CERT_FILE: z.string().optional(),
  REDIS_KEY_FILE: z.string().optional(),
  REDIS_KEY_PREFIX: z.string().default('sluice:quota:'),
  /** How long Redis may take to decide. Must be below the deadline of gateways, which is 150 ms by default. */
  REDIS_DEADLINE_MS: integerSetting(1, 60_000).default(100),
});

export const SETTING_NAMES = Object.keys(QuotaSettings.shape);

export type QuotaSettings = z.infer<typeof QuotaSettings>;

export function readQuotaSettings(environment: Environment): QuotaSettings {
  const schema = QuotaSettings.superRefine(checkProcessSettings)
    .superRefine(checkRpcServerSettings)
    .superRefine(checkRedisSettings);
  return readConfiguration(schema, environment);
}

function redisUrl(text: string, context: z.RefinementCtx): URL {
  const url = URL.parse(text);
  const usable =
    url !== null &&
    /^rediss?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.port !== '0' &&
    /^\/?\d*$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '' &&
    isPercentEncoded(url.username) &&
    isPercentEncoded(url.password);
  if (usable) return url;
  // The message does not contain the address, which may hold a password.
  context.addIssue({
    code: 'custom',
    message:
      'must be redis:// or rediss:// addresses, separated by commas, with nothing after the database and the special characters of a password percent-encoded (a bare % is %25)',
  });
  return z.NEVER;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function sameProtocol(urls: readonly URL[]): boolean {
  return new Set(urls.map(({ protocol }) => protocol)).size <= 1;
}

const TLS_FILES = ['REDIS_CA_FILE', ...REDIS_IDENTITY] as const;

type Refuse = RefuseSetting<keyof QuotaSettings>;

function checkRedisSettings(settings: QuotaSettings, context: z.RefinementCtx): void {
  const { REDIS_URL, REDIS_MODE } = settings;
  const refuse: Refuse = settingRefusal(context);
  requireBothOrNeither(REDIS_IDENTITY, settings, refuse);
  if (REDIS_URL[0]?.protocol !== 'rediss:') refuseTlsSettings(settings, refuse);
  if (REDIS_MODE === 'single' && REDIS_URL.length > 1) {
    refuse('REDIS_URL', 'must be one address, unless REDIS_MODE is sentinel or cluster');
  }
  if (REDIS_MODE !== 'sentinel') refuseSentinelSettings(settings, refuse);
  if (REDIS_MODE === 'cluster') refuseDatabase(settings, refuse);
}

function refuseTlsSettings(settings: QuotaSettings, refuse: Refuse): void {
  for (const name of TLS_FILES) {
    if (settings[name] === undefined) continue;
    refuse(name, 'is for TLS: the addresses in REDIS_URL must be rediss://');
  }
}

function refuseSentinelSettings(settings: QuotaSettings, refuse: Refuse): void {
  const { REDIS_SENTINEL_NAME, REDIS_SENTINEL_PASSWORD } = settings;
  const advice = 'is for sentinels: set REDIS_MODE=sentinel';
  if (REDIS_SENTINEL_NAME !== DEFAULT_SENTINEL_NAME) refuse('REDIS_SENTINEL_NAME', advice);
  if (REDIS_SENTINEL_PASSWORD !== undefined) refuse('REDIS_SENTINEL_PASSWORD', advice);
}

function refuseDatabase({ REDIS_DATABASE, REDIS_URL }: QuotaSettings, refuse: Refuse): void {
  const why = 'a cluster has database 0 alone; separate services by REDIS_KEY_PREFIX instead';
  if ((REDIS_DATABASE ?? 0) !== 0) refuse('REDIS_DATABASE', `must not be set: ${why}`);
  if (REDIS_URL.some(({ pathname }) => Number(pathname.slice(1)) !== 0)) {
    refuse('REDIS_URL', `must name no database: ${why}`);
  }
}
