import {
  DiagLogLevel,
  context,
  diag,
  logs,
  metrics,
  propagation,
  trace,
  type DiagLogger,
} from '@opentelemetry/api';
import { LogDeduplicator } from './log-deduplicator.ts';
import type { Logger } from './logger.ts';
import { useMeter } from './metrics.ts';
import { withTimeout } from './timers.ts';
import { switchTracing } from './tracing.ts';

/** The standard variables of OpenTelemetry, which decide where traces and metrics are sent. */
export interface TelemetryEnvironment {
  readonly OTEL_SDK_DISABLED?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string | undefined;
  readonly OTEL_TRACES_EXPORTER?: string | undefined;
  readonly OTEL_METRICS_EXPORTER?: string | undefined;
  readonly OTEL_NODE_RESOURCE_DETECTORS?: string | undefined;
  readonly OTEL_LOG_LEVEL?: string | undefined;
}

/** How long the last export may take, so that a collector that does not answer cannot delay the exit for long. */
const LAST_EXPORT_MS = 3_000;
/**
 * The largest number of series of one metric between two exports. Further series are counted together as one. The SDK's
 * default of 2,000 is too low for a hundred models, and series of failures, which come last, would not be shown.
 * Attribute values are constants or models of the catalog. 100,000 is enough for 1,000 models with 100 outcomes, so
 * only a bug reaches it.
 */
const MAX_SERIES = 100_000;
/** A problem repeats with every export. It is logged at most once in this time. */
const QUIET_MS = 600_000;
const TROUBLE = 'traces or metrics cannot be exported: OTEL_LOG_LEVEL=warn shows the reason';

/** Starts traces and metrics if an exporter is set for them. Without an exporter, the SDK is not even loaded. */
export async function startTelemetry(
  service: string,
  environment: TelemetryEnvironment,
  logger?: Logger,
): Promise<AsyncDisposable> {
  const wanted = wantedSignals(environment);
  if (!wanted.traces && !wanted.metrics) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  // If OTEL_LOG_LEVEL is set, the SDK writes its own log.
  if (logger !== undefined && environment.OTEL_LOG_LEVEL === undefined) {
    diag.setLogger(troubleLogger(logger), DiagLogLevel.WARN);
  }
  const [{ NodeSDK }, { W3CTraceContextPropagator }, resource, page] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/core'),
    settledResource(environment.OTEL_NODE_RESOURCE_DETECTORS),
    wanted.metrics ? loadMetricsPage(environment) : undefined,
  ]);
  const sdk = new NodeSDK({
    serviceName: service,
    resource,
    autoDetectResources: false,
    instrumentations: [],
    // No baggage propagator: the header that a client sends must not reach the runtime.
    textMapPropagator: new W3CTraceContextPropagator(),
    // An empty list switches a signal off. If the list is undefined, the SDK exports to a collector on this machine.
    // The log of a service goes to standard output, never to a collector.
    logRecordProcessors: [],
    views: metricViews(environment),
    ...(wanted.traces ? {} : { spanProcessors: [] }),
    ...(wanted.metrics ? {} : { metricReaders: [] }),
    ...(page === undefined ? {} : { metricReaders: [page] }),
  });
  sdk.start();
  page?.serve();
  switchTracing(wanted.traces);
  if (wanted.metrics) useMeter(metrics.getMeter('sluice'));
  return {
    [Symbol.asyncDispose]: async () => {
      switchTracing(false);
      // A failed last export is not a failure of the process.
      await withTimeout(LAST_EXPORT_MS, sdk.shutdown());
      useMeter(undefined);
      for (const api of [trace, metrics, logs, propagation, context, diag]) api.disable();
    },
  };
}

/**
 * The views are used only with one exporter. With a view, several exporters would share their counts, and the SDK would
 * keep each count until all of them have read it. If Prometheus did not fetch the page of metrics, memory would grow
 * without limit.
 */
function metricViews(environment: TelemetryEnvironment) {
  if (metricExporters(environment).size > 1) return [];
  return [{ instrumentName: '*', aggregationCardinalityLimit: MAX_SERIES }];
}

/**
 * The page of metrics, if Prometheus is the only exporter. With other exporters the SDK has to create all metric
 * readers itself, because it takes either all or none from its caller.
 */
async function loadMetricsPage(environment: TelemetryEnvironment) {
  const names = metricExporters(environment);
  if (names.size > 1 || !names.has('prometheus')) return undefined;
  const { MetricsPage } = await import('./metrics-page.ts');
  return new MetricsPage();
}

function metricExporters({ OTEL_METRICS_EXPORTER: exporters = '' }: TelemetryEnvironment) {
  const names = new Set(exporters.split(',').map((name) => name.trim()));
  names.delete('');
  return names;
}

/**
 * The resource that the SDK would detect by itself. Waits until all attributes are known: the page of metrics does not
 * wait, and each fetch of a page with pending attributes would be logged as a problem.
 */
async function settledResource(wanted = 'all') {
  const found = await import('@opentelemetry/resources');
  const detectors = {
    serviceinstance: found.serviceInstanceIdDetector,
    process: found.processDetector,
    host: found.hostDetector,
    os: found.osDetector,
    // The last detector, because attributes that the operator sets override detected ones.
    env: found.resourceAttributesEnvDetector,
  };
  const names = new Set(wanted.split(',').map((name) => name.trim()));
  const isWanted = (name: string) => names.has('all') || (!names.has('none') && names.has(name));
  const chosen = Object.entries(detectors).filter(([name]) => isWanted(name));
  const resource = found.detectResources({ detectors: chosen.map(([, detector]) => detector) });
  await resource.waitForAsyncAttributes?.();
  return found.defaultResource().merge(resource);
}

/** Logs that there is a problem, without the text of the SDK: it may contain an address or a header with a secret. */
function troubleLogger(logger: Logger): DiagLogger {
  const logged = new LogDeduplicator({ quietMs: QUIET_MS });
  const log = (...args: unknown[]) => {
    if (!logged.shouldLog(TROUBLE)) return;
    logger.warn({ err: args.find((argument) => argument instanceof Error) }, TROUBLE);
  };
  const ignore = () => undefined;
  return { error: log, warn: log, info: ignore, debug: ignore, verbose: ignore };
}

/** A signal is wanted if its exporter, its endpoint or the common endpoint is set, unless its exporter is `none`. */
function wantedSignals(environment: TelemetryEnvironment): { traces: boolean; metrics: boolean } {
  if (environment.OTEL_SDK_DISABLED === 'true') return { traces: false, metrics: false };
  const commonEndpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isWanted = (exporter: string | undefined, endpoint: string | undefined) =>
    exporter !== 'none' &&
    [commonEndpoint, endpoint, exporter].some((value) => value !== undefined && value !== '');
  return {
    traces: isWanted(
      environment.OTEL_TRACES_EXPORTER,
      environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    ),
    metrics: isWanted(
      environment.OTEL_METRICS_EXPORTER,
      environment.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    ),
  };
}
