export { requireBothOrNeither, settingRefusal, type RefuseSetting } from './check-settings.ts';
export {
  ConfigurationError,
  addressListSetting,
  booleanSetting,
  checkProcessSettings,
  hostSetting,
  integerSetting,
  isHostAndPort,
  listSetting,
  portSetting,
  processSettings,
  readConfiguration,
  type Environment,
} from './configuration.ts';
export type { Readiness } from './health.ts';
export { collectFullyRarely } from './heap-growth.ts';
export { listen } from './listen.ts';
export { runService, type RunningService } from './run-service.ts';
export {
  readCertificatesFile,
  readIdentityFiles,
  readSettingFile,
  wrongSetting,
} from './setting-files.ts';
