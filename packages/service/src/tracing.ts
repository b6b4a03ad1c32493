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

let enabled = false;

/** False unless an exporter is set. While it is false, tracing costs nothing on the hot path. */
export function tracingEnabled(): boolean {
  return enabled;
}

/** Called after the SDK has started, and when it stops. */
export function switchTracing(on: boolean): void {
  enabled = on;
}

export type SpanRole = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

const KINDS: Record<SpanRole, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** A span of a trace. If tracing is off, its methods do nothing. */
export interface TraceSpan {
  readonly context: Context;
  setAttributes(attributes: Attributes): void;
  addEvent(name: string, attributes?: Attributes): void;
  /** Ends the span. An error marks it as failed. Only the name of the error is recorded. */
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
  /** The parent span. For a parent in another process, use `extractTrace` with its headers. */
  readonly parent?: Context | undefined;
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

/** The headers that carry the context of a span to another process. Empty if tracing is off. */
export function traceHeaders(span: TraceSpan): Record<string, string> {
  const headers: Record<string, string> = {};
  if (enabled) propagation.inject(span.context, headers);
  return headers;
}

/** The context that another process sent in its headers, whose names must be in lower case. */
export function extractTrace(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Context {
  if (!enabled) return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, headers, {
    keys: (carrier) => Object.keys(carrier),
    get: (carrier, key) => carrier[key.toLowerCase()],
  });
}
