import { createServer } from 'node:http';
import { connectCatalog, connectQuota, serveCatalog, serveQuota } from '@sluice/rpc';
import { createLogger, startSpan, startTelemetry } from '@sluice/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { admission } from './replica-handlers.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const address = { host: '127.0.0.1', port: 0 };

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** A real trace collector, as an exporter sees it. */
const spans: ExportedSpan[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Export;
    spans.push(
      ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
    );
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});

let tracing: AsyncDisposable;

beforeAll(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  collector.listen(0, '127.0.0.1', resolve);
  await promise;
  const bound = collector.address();
  if (bound === null || typeof bound === 'string') throw new Error('the collector has no address');
  const endpoint = `http://127.0.0.1:${bound.port}`;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_METRICS_EXPORTER', 'none');
  vi.stubEnv('OTEL_LOGS_EXPORTER', 'none');
  tracing = await startTelemetry('test', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
});

afterAll(() => {
  vi.unstubAllEnvs();
  collector.closeAllConnections();
  collector.close();
});

describe('the trace of a request', () => {
  it('continues in the called service, for unary calls and streams', async () => {
    let parentOfAdmission: unknown;
    {
      await using catalog = await serveCatalog({
        ...address,
        logger,
        handlers: { resolveCredential: async () => ({}), listModels: async () => ({}) },
      });
      await using quota = await serveQuota({
        ...address,
        logger,
        handlers: {
          admit: async (_, parent) => {
            parentOfAdmission = parent;
            startSpan('decide', { role: 'server', parent }).end();
            return { outcome: 'unavailable' };
          },
          peek: async () => ({ outcome: 'unavailable' }),
        },
      });
      await using toCatalog = connectCatalog({
        addresses: [catalog.address],
        deadlineMs: 5_000,
        logger,
      });
      await using toQuota = connectQuota({ addresses: [quota.address], deadlineMs: 5_000, logger });
      await toQuota.ready();
      const request = startSpan('request');
      await toCatalog.listModels({ organization: 'acme' }, { trace: request });
      await toQuota.admit(admission('acme'), request);
      request.end();
    }
    await tracing[Symbol.asyncDispose]();
    expect(parentOfAdmission).toBeDefined();
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [request] = named('request');
    expect(new Set(spans.map(({ traceId }) => traceId))).toStrictEqual(new Set([request?.traceId]));
    const calls = named('catalog.ListModels');
    const client = calls.find(({ parentSpanId }) => parentSpanId === request?.spanId);
    const server = calls.find(({ parentSpanId }) => parentSpanId === client?.spanId);
    expect(calls).toHaveLength(2);
    expect(client).toBeDefined();
    expect(server).toBeDefined();
    expect(named('decide')[0]?.parentSpanId).toBe(request?.spanId);
  });
});
