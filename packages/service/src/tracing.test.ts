import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTelemetry } from './start-telemetry.ts';
import { extractTrace, startSpan, traceHeaders, tracingEnabled } from './tracing.ts';

afterEach(() => vi.unstubAllEnvs());

/** A span in OTLP's JSON, where kinds and status codes are numbers. */
interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

function spansOf(text: string): ExportedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { scopeSpans: { spans: ExportedSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

describe('tracing', () => {
  it('is off, and sends no header, unless an exporter is set', async () => {
    await using _off = await startTelemetry('gateway', {});
    expect(tracingEnabled()).toBe(false);
    expect(traceHeaders(startSpan('request'))).toEqual({});
  });

  it('stays off when the exporter is set but switched off', async () => {
    await using _off = await startTelemetry('gateway', {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_SDK_DISABLED: 'true',
    });
    expect(tracingEnabled()).toBe(false);
  });

  it('carries one trace across processes and exports it', async () => {
    const received: { path: string | undefined; body: string }[] = [];
    const collector = createServer((request, response) => {
      let body = '';
      request
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .on('end', () => {
          received.push({ path: request.url, body });
          response.end();
        });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    const tracing = await startTelemetry('gateway', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });

    const request = startSpan('request', { role: 'server', attributes: { model: 'm' } });
    const sent = traceHeaders(request);
    expect(sent['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);

    const fromOutside = { ...sent, baggage: 'prompt=secret' };
    const job = startSpan('job', { role: 'consumer', parent: extractTrace(fromOutside) });
    expect(Object.keys(traceHeaders(job))).not.toContain('baggage');
    const traceId = (headers: Record<string, string>) => headers['traceparent']?.split('-')[1];
    expect(traceId(traceHeaders(job))).toBe(traceId(sent));
    expect(traceHeaders(job)['traceparent']).not.toBe(sent['traceparent']);

    job.end(new TypeError('choked on my secret prompt'));
    request.end();
    await tracing[Symbol.asyncDispose]();
    collector.close();
    expect(tracingEnabled()).toBe(false);
    const exported = received.filter(({ path }) => path === '/v1/traces').map(({ body }) => body);
    expect(exported.flatMap(spansOf)).toMatchObject([
      { name: 'job', kind: 5, status: { code: 2, message: 'TypeError' } },
      { name: 'request', kind: 2, status: { code: 0 }, attributes: [{ key: 'model' }] },
    ]);
    expect(exported.join('')).not.toContain('secret');
  });
});
