export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export {
  METRICS,
  type CounterName,
  type HistogramName,
  type MetricAttributes,
  type MetricName,
  type ObservedName,
} from './metric-names.ts';
export { count, measure, metricsEnabled, observe, type Observation } from './metrics.ts';
export { startTelemetry, type TelemetryEnvironment } from './start-telemetry.ts';
export {
  extractTrace,
  startSpan,
  traceHeaders,
  tracingEnabled,
  type Attributes,
  type Context,
  type SpanOptions,
  type SpanRole,
  type TraceSpan,
} from './tracing.ts';
