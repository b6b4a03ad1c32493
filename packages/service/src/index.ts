export { afterTurns, withTimeout, everyInterval, Deadline } from './timers.ts';
export {
  type RefuseSetting,
  requireBothOrNeither,
  settingRefusal,
  checkProcessSettings,
  processSettings,
  RuntimeApiKey,
  RuntimeUrl,
  hasPathAlone,
  ConfigurationError,
  type Environment,
  addressListSetting,
  booleanSetting,
  hostSetting,
  integerSetting,
  isHostAndPort,
  listSetting,
  portSetting,
  readConfiguration,
} from './settings.ts';
export { DeadlineQueue, type RunningDeadline } from './deadline-queue.ts';
export { dropOldest } from './drop-oldest.ts';
export { RARE_COLLECTIONS } from './gc-flags.ts';
export { type Readiness, listen } from './health.ts';
export { LogDeduplicator } from './log-deduplicator.ts';
export { type Logger, createLogger } from './logger.ts';
export { type HistogramName, METRICS, type MetricName, type ObservedName } from './metric-names.ts';
export { count, initCounters, measure, metricsEnabled, observe, oncePerModel } from './metrics.ts';
export { QUICK_DRAIN_MS, type RunningService, runService } from './run-service.ts';
export {
  readAuthoritiesFile,
  readIdentityFiles,
  readSettingFile,
  wrongSetting,
} from './setting-files.ts';
export { startTelemetry } from './start-telemetry.ts';
export { ThreadDeadline, RoundRobinQueue } from './threads.ts';
export {
  type Context,
  type TraceSpan,
  extractTrace,
  startSpan,
  traceHeaders,
  tracingEnabled,
} from './tracing.ts';
export { TurnBatcher } from './turn-batcher.ts';
