export { requireBothOrNeither, settingRefusal, type RefuseSetting } from './check-settings.ts';
export {
  ConfigurationError,
  addressListSetting,
  booleanSetting,
  hostSetting,
  integerSetting,
  isHostAndPort,
  listSetting,
  portSetting,
  readConfiguration,
  type Environment,
} from './configuration.ts';
export type { Readiness } from './health.ts';
export { listen } from './listen.ts';
export { checkProcessSettings, processSettings } from './process-settings.ts';
export { RARE_COLLECTIONS } from './rare-collections.ts';
export { QUICK_DRAIN_MS, runService, type RunningService } from './run-service.ts';
export {
  readAuthoritiesFile,
  readIdentityFiles,
  readSettingFile,
  wrongSetting,
} from './setting-files.ts';
