import { createServer } from 'node:http';
import { useNats, waitUntil } from '@sluice/devkit';
import { listen, startTelemetry } from '@sluice/service';
import { expect, test, vi } from 'vitest';
import { GatewayWithNeighbours } from './gateway-with-neighbours.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { REFUSED } from './refused-admission.ts';
import { accepted, delta, failed, finished, started, usage } from './worker-frames.ts';

const nats = useNats();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

/** The status code of a failed span in OTLP. */
const FAILED_STATUS = 2;

interface ExportedSpan {
  readonly traceId: string;
  readonly name: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly events?: readonly { readonly name: string }[];
}

/** The spans of an export in OTLP's JSON. */
function spansOf(text: string): ExportedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { scopeSpans: { spans: ExportedSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** The export of the requests of `work`, complete once telemetry has ended. */
async function spansDuring(work: () => Promise<void>): Promise<ExportedSpan[]> {
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
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  try {
    await using _tracing = await startTelemetry('gateway', {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_METRICS_EXPORTER: 'none',
    });
    await work();
  } finally {
    vi.unstubAllEnvs();
    collector.close();
    collector.closeAllConnections();
  }
  return spans;
}

const within = (trace: string) => ({ traceparent: PARENT.replace(TRACE, trace) });

test("a client's trace goes on through admission and dispatch to the worker", async () => {
  const spans = await spansDuring(async () => {
    await using parts = await GatewayWithNeighbours.start(nats.url);
    await waitUntil(() => parts.gateway.readiness().ready, { what: 'the gateway to be ready' });
    parts.onJob = (job) =>
      job.send(accepted(), started(), delta({ content: 'Hi' }), usage(), finished());
    const reply = await parts.complete({ stream: true }, { traceparent: PARENT });
    await reply.text();
    expect(parts.jobs[0]?.headers['traceparent']).toContain(TRACE);
  });
  const ours = spans.filter(({ traceId }) => traceId === TRACE);
  expect(ours.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['gateway.request', 'gateway.admit', 'gateway.dispatch']),
  );
  expect(ours.map(failedSpan)).not.toContain(true);
  const dispatch = ours.find(({ name }) => name === 'gateway.dispatch');
  expect(dispatch?.events?.map(({ name }) => name)).toEqual(['offer', 'end']);
  expect(JSON.stringify(spans)).not.toContain('"Hi"');
});

test('spans and log lines distinguish failures of the service from actions of the client', async () => {
  const lines: Record<string, unknown>[] = [];
  const broken = '1'.repeat(32);
  const left = '2'.repeat(32);
  const limited = '3'.repeat(32);
  const faulty = '4'.repeat(32);
  const refused = '5'.repeat(32);
  const spans = await spansDuring(async () => {
    await using gateway = await InMemoryGateway.start({
      log: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
      worker: (job) => {
        if (!job.header.stream) {
          if (job.header.output_bound_requested) {
            job.send(accepted(), failed('context_length_exceeded', false));
          }
          return;
        }
        job.send(accepted(), delta({ content: 'half' }), failed('upstream_unavailable', false));
      },
    });
    const reply = await gateway.complete({ stream: true }, { headers: within(broken) });
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow('terminated');

    const leaving = new AbortController();
    const { signal } = leaving;
    const nothing = gateway.complete({}, { headers: within(left), signal });
    await waitUntil(() => gateway.dispatcher.running === 1, { what: 'the job to be offered' });
    leaving.abort();
    await expect(nothing).rejects.toThrow('aborted');
    await waitUntil(() => gateway.dispatcher.running === 0, { what: 'the job to be aborted' });

    const tooLong = { max_completion_tokens: 9 };
    expect((await gateway.complete(tooLong, { headers: within(refused) })).status).toBe(400);

    gateway.limiter.decide = () => REFUSED;
    expect((await gateway.complete({}, { headers: within(limited) })).status).toBe(429);
    gateway.limiter.decide = () => {
      throw new Error('a fault of the limiter');
    };
    expect((await gateway.complete({}, { headers: within(faulty) })).status).toBe(500);
  });
  const span = (trace: string, wanted: string) =>
    spans.find(({ traceId, name }) => traceId === trace && name === wanted);
  const failedSpans = (trace: string) =>
    ['gateway.request', 'gateway.admit', 'gateway.dispatch'].map((name) => {
      const found = span(trace, name);
      return found === undefined ? undefined : failedSpan(found);
    });
  expect(failedSpans(broken)).toEqual([true, false, true]);
  expect(failedSpans(left)).toEqual([false, false, false]);
  expect(failedSpans(refused)).toEqual([false, false, false]);
  expect(failedSpans(limited)).toEqual([false, false, undefined]);
  expect(failedSpans(faulty)).toEqual([true, true, undefined]);
  const reply = (trace: string) => attributesOf(span(trace, 'gateway.request'));
  expect(reply(broken)).toMatchObject({ 'http.response.status_code': 200, 'client.gone': false });
  expect(reply(left)).toMatchObject({ 'client.gone': true });
  expect(reply(left)).not.toHaveProperty('http.response.status_code');
  const requests = lines.filter(({ msg }) => msg === 'request');
  expect(requests.map(({ status, gone }) => [status, gone])).toEqual([
    [200, undefined],
    [undefined, true],
    [400, undefined],
    [429, undefined],
    [500, undefined],
  ]);
});

function failedSpan({ status }: ExportedSpan): boolean {
  return status.code === FAILED_STATUS;
}

function attributesOf(span: ExportedSpan | undefined): Readonly<Record<string, unknown>> {
  const attributes = span?.attributes ?? [];
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
