import { busSettings, checkBusSettings } from '@sluice/bus';
import { SubjectPrefix } from '@sluice/contracts';
import { adminTokensSetting, checkRpcServerSettings, rpcServerSettings } from '@sluice/rpc';
import {
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
  /** Without tokens, the port stays closed. */
  ADMIN_TOKENS: adminTokensSetting().optional(),
});

export const SETTING_NAMES = Object.keys(UsageSettings.shape);

export type UsageSettings = z.infer<typeof UsageSettings>;

export function readUsageSettings(environment: Environment): UsageSettings {
  const schema = UsageSettings.superRefine(checkProcessSettings)
    .superRefine(checkBusSettings)
    .superRefine(checkRpcServerSettings)
    .superRefine(checkDatabaseSettings)
    .superRefine(checkRetention);
  return readConfiguration(schema, environment);
}

function checkRetention(settings: UsageSettings, context: z.RefinementCtx): void {
  if (settings.SUM_DAYS >= settings.REQUEST_DAYS) return;
  settingRefusal<'SUM_DAYS'>(context)('SUM_DAYS', 'must not be below REQUEST_DAYS');
}
