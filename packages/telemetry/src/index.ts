export { createLogger, type Logger } from './logger.ts';
export { METRICS, type HistogramName, type MetricName, type ObservedName } from './metric-names.ts';
export { count, measure, metricsEnabled, observe, oncePerModel, startAtZero } from './metrics.ts';
export { LogDeduplicator } from './log-deduplicator.ts';
export { startTelemetry } from './start-telemetry.ts';
export {
  extractTrace,
  startSpan,
  traceHeaders,
  tracingEnabled,
  type Context,
  type TraceSpan,
} from './tracing.ts';
