import { busSettings, checkBusSettings, ledgerSettings } from '@sluice/bus';
import { DEFAULT_CATALOG_BUCKET, SubjectPrefix } from '@sluice/contracts';
import {
  adminTokensSetting,
  checkRpcServerSettings,
  consoleKeysSetting,
  rpcServerSettings,
} from '@sluice/rpc';
import {
  booleanSetting,
  checkProcessSettings,
  hostSetting,
  integerSetting,
  portSetting,
  processSettings,
  readConfiguration,
  settingRefusal,
  type Environment,
} from '@sluice/service';
import * as z from 'zod';
import { CATALOG_ITSELF } from './changes/playground-issuer.ts';

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
  /** How many changes of each entry the audit log keeps. */
  CATALOG_HISTORY: integerSetting(1, 64).default(64),
  /** Whether to start with a damaged bucket and skip the records that NATS cannot read. */
  CATALOG_SKIP_DAMAGED: booleanSetting().default(false),
  ...ledgerSettings,
  HOST: hostSetting(),
  PORT: portSetting().default(7002),
  ...rpcServerSettings,
  ADMIN_HOST: hostSetting(),
  ADMIN_PORT: portSetting().default(7003),
  /** The tokens of operators, for the admin port. It stays closed if neither these nor CONSOLE_KEYS are set. */
  ADMIN_TOKENS: adminTokensSetting(CATALOG_ITSELF).optional(),
  /** The tokens of the usage service, for the admin port. They allow it to read prices and budgets and to set stops. */
  BUDGET_TOKENS: adminTokensSetting(CATALOG_ITSELF).optional(),
  /** The public keys of the web consoles that may call the admin port. Without keys, it serves no console. */
  CONSOLE_KEYS: consoleKeysSetting().optional(),
  /** The plan of the organization that a person gets at the first sign-in to the console. */
  CONSOLE_PLAN: z.string().optional(),
  /** A PEM file of CA certificates. If set, operators need a client certificate in addition to their token. */
  ADMIN_CLIENT_CA_FILE: z.string().optional(),
  /** How long a replica waits for a position that it has not reached, before it answers that it lags behind. */
  LAG_WAIT_MS: integerSetting(0, 10_000).default(300),
  /** How long a replica answers from memory after it lost the bus or was paused. */
  STALE_ANSWERS_MS: integerSetting(0, 3_600_000).default(30_000),
  /** How long one admin change may take. The default outlasts the election of a new stream leader. */
  CHANGE_TIMEOUT_MS: integerSetting(100, 60_000).default(8_000),
});

export const SETTING_NAMES = Object.keys(CatalogSettings.shape);

export type CatalogSettings = z.infer<typeof CatalogSettings>;

export function readCatalogSettings(environment: Environment): CatalogSettings {
  const schema = CatalogSettings.superRefine(checkProcessSettings)
    .superRefine(checkBusSettings)
    .superRefine(checkRpcServerSettings)
    .superRefine(checkAdminSettings)
    .superRefine(checkBudgetTokens);
  return readConfiguration(schema, environment);
}

/** Refuses settings that would have no effect. */
function checkAdminSettings(settings: CatalogSettings, context: z.RefinementCtx): void {
  const refuse = settingRefusal(context);
  if (settings.CONSOLE_PLAN !== undefined && settings.CONSOLE_KEYS === undefined) {
    refuse('CONSOLE_PLAN', 'is for web consoles: set CONSOLE_KEYS');
  }
  if (settings.ADMIN_CLIENT_CA_FILE === undefined) return;
  if (!settings.GRPC_TLS) refuse('ADMIN_CLIENT_CA_FILE', 'is for TLS: set GRPC_TLS=true');
  if (settings.ADMIN_TOKENS === undefined && settings.CONSOLE_KEYS === undefined) {
    refuse(
      'ADMIN_CLIENT_CA_FILE',
      'is for the admin port, which stays closed without ADMIN_TOKENS and CONSOLE_KEYS',
    );
  }
}

function checkBudgetTokens(
  { ADMIN_TOKENS, BUDGET_TOKENS, CONSOLE_KEYS }: CatalogSettings,
  context: z.RefinementCtx,
): void {
  if (BUDGET_TOKENS === undefined) return;
  const refuse = settingRefusal<'BUDGET_TOKENS'>(context);
  if (ADMIN_TOKENS === undefined && CONSOLE_KEYS === undefined) {
    refuse(
      'BUDGET_TOKENS',
      'is for the admin port, which stays closed without ADMIN_TOKENS and CONSOLE_KEYS',
    );
  }
  if (Array.from(BUDGET_TOKENS.keys()).some((name) => ADMIN_TOKENS?.has(name) === true)) {
    // The audit log shows only the name of an author, so a name must not be in both lists.
    refuse('BUDGET_TOKENS', 'must have other names than ADMIN_TOKENS');
  }
}
