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
import { atMost } from '@sluice/timing';
import { LogDeduplicator } from './log-deduplicator.ts';
import type { Logger } from './logger.ts';
import { useMeter } from './metrics.ts';
import { switchTracing } from './tracing.ts';

/** Where traces and metrics are sent is OpenTelemetry's own affair: its standard variables decide. */
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

/** A collector that does not answer must not hold a process that is about to end. */
const LAST_EXPORT_MS = 3_000;
/**
 * In so many ways may the values of one metric be told apart between two readings; what comes then is counted together.
 * The SDK's 2,000 are too few for some hundred models, and what comes last are failures. Words of ours and models of
 * the catalog have an end, here with 1,000 models and 100 ways to end: only a mistake of ours meets the bound.
 */
const MOST_SERIES = 100_000;
/** Trouble comes again with every export: a line about it is not followed by another before so long. */
const QUIET_MS = 600_000;
const TROUBLE = 'traces or metrics do not get out as wished: OTEL_LOG_LEVEL=warn says why';

/** Starts what an exporter is set for, and loads the SDK only then. */
export async function startTelemetry(
  service: string,
  environment: TelemetryEnvironment,
  logger?: Logger,
): Promise<AsyncDisposable> {
  const { traces, metered } = wantedSignals(environment);
  if (!traces && !metered) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  // With a level of its own the SDK speaks for itself.
  if (logger !== undefined && environment.OTEL_LOG_LEVEL === undefined) {
    diag.setLogger(tellTrouble(logger), DiagLogLevel.WARN);
  }
  const [{ NodeSDK }, { W3CTraceContextPropagator }, resource, page] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/core'),
    settledResource(environment.OTEL_NODE_RESOURCE_DETECTORS),
    metered ? ownPage(environment) : undefined,
  ]);
  const sdk = new NodeSDK({
    serviceName: service,
    resource,
    autoDetectResources: false,
    instrumentations: [],
    // Not baggage: what a client puts into that header is none of the runtime's business.
    textMapPropagator: new W3CTraceContextPropagator(),
    // Left out, each would be sent to a collector on this machine. Logs are lines on standard output.
    logRecordProcessors: [],
    views: metricViews(environment),
    ...(traces ? {} : { spanProcessors: [] }),
    ...(metered ? {} : { metricReaders: [] }),
    ...(page === undefined ? {} : { metricReaders: [page] }),
  });
  sdk.start();
  page?.serve();
  switchTracing(traces);
  if (metered) useMeter(metrics.getMeter('sluice'));
  return {
    [Symbol.asyncDispose]: async () => {
      switchTracing(false);
      // That the last of it was not sent is no failure of the process.
      await atMost(LAST_EXPORT_MS, sdk.shutdown());
      useMeter(undefined);
      for (const api of [trace, metrics, logs, propagation, context, diag]) api.disable();
    },
  };
}

/**
 * For one exporter alone. Where there is a view, exporters share what was counted, and the SDK keeps all that one has
 * read for the others: it would grow for as long as nobody fetches the page of metrics.
 */
function metricViews(environment: TelemetryEnvironment) {
  if (metricExporters(environment).size > 1) return [];
  return [{ instrumentName: '*', aggregationCardinalityLimit: MOST_SERIES }];
}

/** The SDK takes all readers from us or none: beside another exporter, it makes the page of metrics itself. */
async function ownPage(environment: TelemetryEnvironment) {
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
 * What the SDK would find out by itself, once all of it is known: the page of metrics does not wait for the rest, and
 * each reading of it would be told as trouble.
 */
async function settledResource(wanted = 'all') {
  const found = await import('@opentelemetry/resources');
  const detectors = {
    serviceinstance: found.serviceInstanceIdDetector,
    process: found.processDetector,
    host: found.hostDetector,
    os: found.osDetector,
    // The last word: it has what the operator says.
    env: found.resourceAttributesEnvDetector,
  };
  const names = new Set(wanted.split(',').map((name) => name.trim()));
  const isWanted = (name: string) => names.has('all') || (!names.has('none') && names.has(name));
  const chosen = Object.entries(detectors).filter(([name]) => isWanted(name));
  const resource = found.detectResources({ detectors: chosen.map(([, detector]) => detector) });
  await resource.waitForAsyncAttributes?.();
  return found.defaultResource().merge(resource);
}

/** Says that there is trouble, and not in the SDK's words: they may quote an address or a header with a secret. */
function tellTrouble(logger: Logger): DiagLogger {
  const said = new LogDeduplicator({ quietMs: QUIET_MS });
  const tell = (...words: unknown[]) => {
    if (!said.shouldLog(TROUBLE)) return;
    logger.warn({ err: words.find((word) => word instanceof Error) }, TROUBLE);
  };
  const ignore = () => undefined;
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}

function wantedSignals(environment: TelemetryEnvironment): { traces: boolean; metered: boolean } {
  if (environment.OTEL_SDK_DISABLED === 'true') return { traces: false, metered: false };
  const endpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const wanted = (exporter: string | undefined, own: string | undefined) =>
    exporter !== 'none' &&
    [endpoint, own, exporter].some((value) => value !== undefined && value !== '');
  return {
    traces: wanted(
      environment.OTEL_TRACES_EXPORTER,
      environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    ),
    metered: wanted(
      environment.OTEL_METRICS_EXPORTER,
      environment.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    ),
  };
}
