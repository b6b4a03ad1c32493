import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startTelemetry } from './start-telemetry.ts';
import { extractTrace, startSpan, traceHeaders, tracingEnabled } from './tracing.ts';

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
    const received: string[] = [];
    const collector = createServer((request, response) => {
      received.push(request.url ?? '');
      request.resume().on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
    const tracing = await startTelemetry('gateway', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });

    const request = startSpan('request', { role: 'server' });
    const sent = traceHeaders(request);
    expect(sent['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);

    const fromOutside = { ...sent, baggage: 'prompt=secret' };
    const job = startSpan('job', { role: 'consumer', parent: extractTrace(fromOutside) });
    expect(Object.keys(traceHeaders(job))).not.toContain('baggage');
    const traceId = (headers: Record<string, string>) => headers['traceparent']?.split('-')[1];
    expect(traceId(traceHeaders(job))).toBe(traceId(sent));
    expect(traceHeaders(job)['traceparent']).not.toBe(sent['traceparent']);

    job.end(new Error('failed'));
    request.end();
    await tracing[Symbol.asyncDispose]();
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    collector.close();
    expect(received).toContain('/v1/traces');
    expect(tracingEnabled()).toBe(false);
  });
});
