import { createServer } from 'node:http';
import { listen } from '@sluice/host';
import { startTracing } from '@sluice/telemetry';
import { useNats, waitUntil } from '@sluice/testkit';
import { expect, test } from 'vitest';
import { accepted, delta, finished, started, usage } from './in-memory-gateway.ts';
import { GatewayWithNeighbours } from './neighbours.ts';

const nats = useNats();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

interface ExportedSpan {
  readonly traceId: string;
  readonly name: string;
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
  const tracing = await startTracing('gateway', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    parts.onJob = (job) =>
      job.send(accepted(), started(), delta({ content: 'Hi' }), usage(), finished());
    const reply = await parts.complete({ stream: true }, { traceparent: PARENT });
    await reply.text();
    expect(parts.jobs[0]?.headers['traceparent']).toContain(TRACE);
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
  const dispatch = spans.find(({ name }) => name === 'gateway.dispatch');
  expect(dispatch?.events?.map(({ name }) => name)).toEqual(['offer', 'end']);
  expect(JSON.stringify(spans)).not.toContain('"Hi"');
});
