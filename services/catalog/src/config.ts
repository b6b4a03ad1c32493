import { busSettings, checkBusSettings, ledgerSettings } from '@sluice/bus';
import { DEFAULT_CATALOG_BUCKET, SubjectPrefix } from '@sluice/contracts';
import {
  booleanSetting,
  checkProcessSettings,
  hostSetting,
  integerSetting,
  listSetting,
  portSetting,
  processSettings,
  readConfiguration,
  settingRefusal,
  type Environment,
} from '@sluice/host';
import { checkRpcServerSettings, rpcServerSettings } from '@sluice/rpc';
import * as z from 'zod';
import { CATALOG_ITSELF } from './domain/issue-playground-token.ts';

const TOKEN = /^(?<name>[A-Za-z0-9][A-Za-z0-9._@-]{0,63}):(?<token>[\x21-\x2b\x2d-\x7e]{16,})$/;

/** `name:token,…`. */
function adminTokens() {
  return listSetting().transform((items, context) => {
    const tokens = new Map<string, string>();
    for (const item of items) {
      const fault = addToken(tokens, item);
      if (fault === undefined) continue;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    }
    return tokens;
  });
}

/** What is wrong with it; undefined once it is added. Never repeats what was given: it may be most of a secret. */
function addToken(tokens: Map<string, string>, item: string): string | undefined {
  const { name, token } = TOKEN.exec(item)?.groups ?? {};
  const isPair = name !== undefined && token !== undefined;
  if (!isPair || tokens.has(name) || name === CATALOG_ITSELF) {
    return `must be name:token pairs separated by commas, each name once and not ${CATALOG_ITSELF}, each token of 16 or more printable characters`;
  }
  // A change could not be told to be of one or the other.
  const [sameFor] = Array.from(tokens).find(([, other]) => other === token) ?? [];
  if (sameFor !== undefined) {
    return `must give each name a token of its own: ${sameFor} and ${name} have the same`;
  }
  tokens.set(name, token);
  return undefined;
}

const CatalogSettings = z.object({
  ...processSettings,
  ...busSettings,
  SUBJECT_PREFIX: SubjectPrefix,
  /** The JetStream key-value bucket that holds everything. */
  CATALOG_BUCKET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
    .default(DEFAULT_CATALOG_BUCKET),
  /** How many NATS servers hold the bucket. */
  CATALOG_REPLICAS: z.enum(['1', '3'], 'must be 1 or 3').transform(Number).default(1),
  /** How many of the last changes of each entry the audit log keeps. */
  CATALOG_HISTORY: integerSetting(1, 64).default(64),
  /** Whether to serve the rest of a bucket of which NATS cannot read some records. */
  CATALOG_SKIP_DAMAGED: booleanSetting().default(false),
  ...ledgerSettings,
  HOST: hostSetting(),
  PORT: portSetting().default(7002),
  ...rpcServerSettings,
  ADMIN_HOST: hostSetting(),
  ADMIN_PORT: portSetting().default(7003),
  /** Without any, the admin port stays closed. */
  ADMIN_TOKENS: adminTokens().optional(),
  /** A PEM file of the authorities of which operators must show a certificate, beside their tokens. */
  ADMIN_CLIENT_CA_FILE: z.string().optional(),
  /** How long a replica that lags behind what it was asked for waits before it says so. */
  LAG_WAIT_MS: integerSetting(0, 10_000).default(300),
  /** How long a replica that lost the bus, or itself stood still, goes on answering from memory. */
  STALE_ANSWERS_MS: integerSetting(0, 3_600_000).default(30_000),
  /** How long one admin change may take: long enough to sit out the election of a new leader of the store. */
  CHANGE_TIMEOUT_MS: integerSetting(100, 60_000).default(8_000),
});

export const SETTING_NAMES = Object.keys(CatalogSettings.shape);

export type CatalogSettings = z.infer<typeof CatalogSettings>;

export function readCatalogSettings(environment: Environment): CatalogSettings {
  const schema = CatalogSettings.superRefine(checkProcessSettings)
    .superRefine(checkBusSettings)
    .superRefine(checkRpcServerSettings)
    .superRefine(checkAdminSettings);
  return readConfiguration(schema, environment);
}

/** What would be ignored is refused: whoever sets it counts on it. */
function checkAdminSettings(settings: CatalogSettings, context: z.RefinementCtx): void {
  if (settings.ADMIN_CLIENT_CA_FILE === undefined) return;
  const refuse = settingRefusal(context);
  if (!settings.GRPC_TLS) refuse('ADMIN_CLIENT_CA_FILE', 'is for TLS: set GRPC_TLS=true');
  if (settings.ADMIN_TOKENS === undefined) {
    refuse(
      'ADMIN_CLIENT_CA_FILE',
      'is for the admin port, which stays closed without ADMIN_TOKENS',
    );
  }
}
