import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  propagation,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';

export type { Attributes, Context, Span } from '@opentelemetry/api';

/** Where tracing is sent is OpenTelemetry's own affair: its standard variables decide. */
export interface TracingEnvironment {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_TRACES_EXPORTER?: string | undefined;
  readonly OTEL_SDK_DISABLED?: string | undefined;
}

let enabled = false;

/** False unless an exporter is set: then nothing on the hot path is paid for. */
export function tracingEnabled(): boolean {
  return enabled;
}

/** Starts the SDK when an exporter is set, and loads it only then. */
export async function startTracing(
  service: string,
  environment: TracingEnvironment,
): Promise<AsyncDisposable> {
  if (!exporterIsSet(environment)) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const [{ NodeSDK }, { W3CTraceContextPropagator }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/core'),
  ]);
  const sdk = new NodeSDK({
    serviceName: service,
    instrumentations: [],
    // Not baggage: what a client puts into that header is none of the runtime's business.
    textMapPropagator: new W3CTraceContextPropagator(),
  });
  sdk.start();
  enabled = true;
  return {
    [Symbol.asyncDispose]: async () => {
      enabled = false;
      await sdk.shutdown();
    },
  };
}

function exporterIsSet(environment: TracingEnvironment): boolean {
  if (environment.OTEL_SDK_DISABLED === 'true') return false;
  if (environment.OTEL_TRACES_EXPORTER === 'none') return false;
  return [
    environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    environment.OTEL_TRACES_EXPORTER,
  ].some((value) => value !== undefined && value !== '');
}

export type SpanRole = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

const KINDS: Record<SpanRole, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** A piece of work in a trace. Every method does nothing when tracing is off. */
export interface TraceSpan {
  readonly context: Context;
  setAttributes(attributes: Attributes): void;
  addEvent(name: string, attributes?: Attributes): void;
  /** Ends it; an error marks it as failed, by name only. */
  end(error?: unknown): void;
}

const SILENT: TraceSpan = {
  context: ROOT_CONTEXT,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  end: () => undefined,
};

export interface SpanOptions {
  readonly role?: SpanRole;
  /** The span it belongs to; from another process, `extractTrace` of its headers. */
  readonly parent?: Context;
  readonly attributes?: Attributes;
}

export function startSpan(
  name: string,
  { role = 'internal', parent, attributes }: SpanOptions = {},
): TraceSpan {
  if (!enabled) return SILENT;
  const within = parent ?? context.active();
  const span = trace
    .getTracer('sluice')
    .startSpan(
      name,
      { kind: KINDS[role], ...(attributes === undefined ? {} : { attributes }) },
      within,
    );
  return liveSpan(span, trace.setSpan(within, span));
}

function liveSpan(span: Span, spanContext: Context): TraceSpan {
  return {
    context: spanContext,
    setAttributes: (attributes) => void span.setAttributes(attributes),
    addEvent: (name, attributes) => void span.addEvent(name, attributes),
    end: (error) => {
      if (error !== undefined) {
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: error instanceof Error ? error.name : 'error',
        });
      }
      span.end();
    },
  };
}

/** The headers that carry a span's context to another process; empty when tracing is off. */
export function traceHeaders(span: TraceSpan): Record<string, string> {
  const headers: Record<string, string> = {};
  if (enabled) propagation.inject(span.context, headers);
  return headers;
}

/** The context that another process sent, from its headers by lower-case name. */
export function extractTrace(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Context {
  if (!enabled) return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, headers, {
    keys: (carrier) => Object.keys(carrier),
    get: (carrier, key) => carrier[key.toLowerCase()],
  });
}
