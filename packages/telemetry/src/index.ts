export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export {
  extractTrace,
  startSpan,
  startTracing,
  traceHeaders,
  tracingEnabled,
  type Attributes,
  type Context,
  type SpanOptions,
  type SpanRole,
  type TraceSpan,
  type TracingEnvironment,
} from './tracing.ts';
