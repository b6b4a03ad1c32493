import { busSettings, checkBusSettings } from '@sluice/bus';
import { SubjectPrefix } from '@sluice/contracts';
import {
  adminTokensSetting,
  checkRpcClientSettings,
  checkRpcServerSettings,
  rpcClientSettings,
  rpcServerSettings,
} from '@sluice/rpc';
import {
  addressListSetting,
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
import { checkDatabaseSettings, databaseSettings } from './store/database-settings.ts';

const MOST_DAYS = 3_650;
/** A receiver that knows its secret could guess a shorter key. */
const MIN_KEY_CHARACTERS = 32;

const UsageSettings = z.object({
  ...processSettings,
  ...busSettings,
  SUBJECT_PREFIX: SubjectPrefix,
  ...databaseSettings,
  /** How long single requests and sums of hours are kept. */
  REQUEST_DAYS: integerSetting(1, MOST_DAYS).default(35),
  /** How long sums of days are kept. */
  SUM_DAYS: integerSetting(1, MOST_DAYS).default(800),
  HOST: hostSetting(),
  PORT: portSetting().default(7004),
  ...rpcServerSettings,
  ...rpcClientSettings,
  /** Without tokens, the port stays closed. */
  ADMIN_TOKENS: adminTokensSetting().optional(),
  /** The admin ports of the catalogs. Without them, nothing has a price and there are no budgets. */
  CATALOG_ADMIN_ADDRESSES: addressListSetting().optional(),
  /** One of the catalog's BUDGET_TOKENS, without its name. */
  CATALOG_TOKEN: z.string().optional(),
  /** The currency of all prices and budgets. */
  CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be three capital letters of ISO 4217')
    .default('USD'),
  /** The secrets of webhooks are computed from it. Without it, webhooks wait. */
  WEBHOOK_KEY: z
    .string()
    .min(MIN_KEY_CHARACTERS, `must have at least ${MIN_KEY_CHARACTERS} characters`)
    .optional(),
  /** Whether webhooks may be sent to private networks, and without TLS. */
  WEBHOOK_PRIVATE_NETWORKS: booleanSetting().default(false),
});

export const SETTING_NAMES = Object.keys(UsageSettings.shape);

export type UsageSettings = z.infer<typeof UsageSettings>;

export function readUsageSettings(environment: Environment): UsageSettings {
  const schema = UsageSettings.superRefine(checkProcessSettings)
    .superRefine(checkBusSettings)
    .superRefine(checkRpcServerSettings)
    .superRefine(checkAuthorities)
    .superRefine(checkDatabaseSettings)
    .superRefine(checkCatalogAccess)
    .superRefine(checkRetention);
  return readConfiguration(schema, environment);
}

function checkRetention(settings: UsageSettings, context: z.RefinementCtx): void {
  if (settings.SUM_DAYS >= settings.REQUEST_DAYS) return;
  settingRefusal<'SUM_DAYS'>(context)('SUM_DAYS', 'must not be below REQUEST_DAYS');
}

/** Checks the settings of a client, except for its certificate, which `checkRpcServerSettings` checks. */
function checkAuthorities(
  { GRPC_TLS, GRPC_CA_FILE }: UsageSettings,
  context: z.RefinementCtx,
): void {
  checkRpcClientSettings({ GRPC_TLS, GRPC_CA_FILE }, context);
}

function checkCatalogAccess(
  { CATALOG_ADMIN_ADDRESSES, CATALOG_TOKEN }: UsageSettings,
  context: z.RefinementCtx,
): void {
  if ((CATALOG_ADMIN_ADDRESSES === undefined) === (CATALOG_TOKEN === undefined)) return;
  const refuse = settingRefusal<'CATALOG_TOKEN'>(context);
  refuse('CATALOG_TOKEN', 'set it together with CATALOG_ADMIN_ADDRESSES');
}
