import { createServer } from 'node:http';
import { listen } from '@sluice/host';
import { startTelemetry } from '@sluice/telemetry';
import { useNats, waitUntil } from '@sluice/testkit';
import { expect, test } from 'vitest';
import {
  InMemoryGateway,
  accepted,
  delta,
  failed,
  finished,
  started,
  usage,
} from './in-memory-gateway.ts';
import { GatewayWithNeighbours } from './neighbours.ts';

const nats = useNats();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const BROKEN_TRACE = '7c1d2e3f4a5b6c7d8e9fa0b1c2d3e4f5';
const FAULTY_TRACE = '8d2e3f4a5b6c7d8e9fa0b1c2d3e4f506';

/** Of a span, in OTLP. */
const FAILED_STATUS = 2;

interface ExportedSpan {
  readonly traceId: string;
  readonly name: string;
  readonly status: { readonly code?: number };
  readonly events?: readonly { readonly name: string }[];
}

/** The spans of an export in OTLP's JSON. */
function spansOf(text: string): ExportedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { scopeSpans: { spans: ExportedSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

test("a client's trace goes on through admission and dispatch to the worker", async () => {
  const spans: ExportedSpan[] = [];
  const collector = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      spans.push(...spansOf(Buffer.concat(pieces).toString('utf8')));
      response.end();
    });
  });
  const endpoint = await listen(collector, { host: '127.0.0.1', port: 0 });
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
  process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
  const tracing = await startTelemetry('gateway', {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_METRICS_EXPORTER: 'none',
  });
  {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    parts.onJob = (job) =>
      job.send(accepted(), started(), delta({ content: 'Hi' }), usage(), finished());
    const reply = await parts.complete({ stream: true }, { traceparent: PARENT });
    await reply.text();
    expect(parts.jobs[0]?.headers['traceparent']).toContain(TRACE);
    parts.onJob = (job) =>
      job.send(accepted(), delta({ content: 'half' }), failed('upstream_unavailable', false));
    const broken = await parts.complete(
      { stream: true },
      { traceparent: PARENT.replace(TRACE, BROKEN_TRACE) },
    );
    expect(broken.status).toBe(200);
    await expect(broken.text()).rejects.toThrow('terminated');
  }
  {
    await using gateway = await InMemoryGateway.start();
    gateway.limiter.decide = () => {
      throw new Error('a fault of the limiter');
    };
    const headers = { traceparent: PARENT.replace(TRACE, FAULTY_TRACE) };
    expect((await gateway.complete({}, { headers })).status).toBe(500);
  }
  await tracing[Symbol.asyncDispose]();
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  delete process.env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  collector.close();
  collector.closeAllConnections();
  const names = spans.filter(({ traceId }) => traceId === TRACE).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['gateway.request', 'gateway.admit', 'gateway.dispatch']),
  );
  const statusOf = (trace: string, wanted = 'gateway.request') =>
    spans.find(({ traceId, name }) => traceId === trace && name === wanted)?.status.code;
  expect([statusOf(TRACE) ?? 0, statusOf(BROKEN_TRACE)]).toEqual([0, FAILED_STATUS]);
  expect(statusOf(FAULTY_TRACE, 'gateway.admit')).toBe(FAILED_STATUS);
  const dispatch = spans.find(({ name }) => name === 'gateway.dispatch');
  expect(dispatch?.events?.map(({ name }) => name)).toEqual(['offer', 'end']);
  expect(JSON.stringify(spans)).not.toContain('"Hi"');
});
