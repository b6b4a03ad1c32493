import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { METRICS } from './metric-names.ts';
import { count, initCounters, measure, metricsEnabled, observe, oncePerModel } from './metrics.ts';
import { startTelemetry } from './start-telemetry.ts';
import { tracingEnabled } from './tracing.ts';

afterEach(() => vi.unstubAllEnvs());

interface Point {
  readonly asInt?: number | string;
  readonly asDouble?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly (number | string)[];
  readonly explicitBounds?: readonly number[];
  readonly attributes: readonly { key: string; value: { stringValue: string } }[];
}

interface Exported {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { dataPoints: readonly Point[]; isMonotonic: boolean };
  readonly gauge?: { dataPoints: readonly Point[] };
  readonly histogram?: { dataPoints: readonly Point[] };
}

/** A collector that keeps what it receives. The SDK reads its address from the environment of this process. */
async function startCollector() {
  const received = new Map<string, string[]>();
  const server = createServer((request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (text: string) => (body += text))
      .on('end', () => {
        const path = request.url ?? '';
        received.set(path, [...(received.get(path) ?? []), body]);
        response.setHeader('content-type', 'application/json').end('{}');
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  return {
    url,
    paths: () => [...received.keys()],
    /** The metrics of the last export. */
    metrics(): Exported[] {
      const body = JSON.parse(received.get('/v1/metrics')?.at(-1) ?? '{}') as {
        resourceMetrics?: { scopeMetrics: { metrics: Exported[] }[] }[];
      };
      const scopes = body.resourceMetrics?.flatMap(({ scopeMetrics }) => scopeMetrics) ?? [];
      return scopes.flatMap(({ metrics }) => metrics);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const attributesOf = ({ attributes }: Point) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

describe('metrics', () => {
  it('are off, and read no values, unless an exporter is set', async () => {
    await using _off = await startTelemetry('gateway', {});
    expect(metricsEnabled()).toBe(false);
    const read = vi.fn(() => 1);
    observe('sluice.gateway.open_streams', read);
    count('sluice.gateway.retries', { cause: 'silent' });
    initCounters('sluice.gateway.retries', [{ cause: 'gap' }]);
    measure('sluice.gateway.first_token.duration', { model: 'm', target: 't' }, 1);
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'x' }, { traces: true, metrics: true }],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'x' }, { traces: false, metrics: true }],
    [{ OTEL_METRICS_EXPORTER: 'console' }, { traces: false, metrics: true }],
    [{ OTEL_TRACES_EXPORTER: 'console' }, { traces: true, metrics: false }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'x', OTEL_METRICS_EXPORTER: 'none' },
      { traces: true, metrics: false },
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'x', OTEL_TRACES_EXPORTER: 'none' },
      { traces: false, metrics: true },
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'x', OTEL_SDK_DISABLED: 'true' },
      { traces: false, metrics: false },
    ],
  ])('and traces are each as the variables say: %j', async (variables, expected) => {
    await using collector = await startCollector();
    const environment = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        value === 'x' ? collector.url : value,
      ]),
    );
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    await using _telemetry = await startTelemetry('gateway', environment);
    expect({ traces: tracingEnabled(), metrics: metricsEnabled() }).toEqual(expected);
  });

  it('reach a collector with their names, units, attributes and buckets', async () => {
    await using collector = await startCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    const telemetry = await startTelemetry('gateway', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    count('sluice.gateway.admissions', { outcome: 'refused', limit: 'tokens_per_day' });
    count('sluice.gateway.admissions', { outcome: 'refused', limit: 'tokens_per_day' }, 2);
    count('sluice.gateway.admissions', { outcome: 'admitted', limit: 'none' });
    measure('sluice.gateway.input_estimate.ratio', { model: 'm' }, 1.02);
    observe('sluice.ledger.lost', () => [[7, { kind: 'outcomes' }]]);
    observe('sluice.worker.queued', () => undefined);
    observe('sluice.catalog.entries', () => [
      [3, { kind: 'models' }],
      [1, { kind: 'plans' }],
    ]);
    await telemetry[Symbol.asyncDispose]();

    expect(metricsEnabled()).toBe(false);
    const byName = new Map(collector.metrics().map((metric) => [metric.name, metric]));
    expect([...byName.keys()].toSorted()).toEqual([
      'sluice.catalog.entries',
      'sluice.gateway.admissions',
      'sluice.gateway.input_estimate.ratio',
      'sluice.ledger.lost',
    ]);
    const admissions = byName.get('sluice.gateway.admissions');
    expect(admissions).toMatchObject({ unit: '{request}', sum: { isMonotonic: true } });
    expect(
      admissions?.sum?.dataPoints.map((point) => [
        Number(point.asDouble ?? point.asInt),
        attributesOf(point),
      ]),
    ).toEqual([
      [3, { outcome: 'refused', limit: 'tokens_per_day' }],
      [1, { outcome: 'admitted', limit: 'none' }],
    ]);
    const [ratio] = byName.get('sluice.gateway.input_estimate.ratio')?.histogram?.dataPoints ?? [];
    const bounds = [...METRICS['sluice.gateway.input_estimate.ratio'].buckets];
    expect(ratio?.explicitBounds).toEqual(bounds);
    const bucket = ratio?.bucketCounts?.findIndex((filled) => Number(filled) === 1);
    expect(bucket).toBe(bounds.indexOf(1.05));
    expect(byName.get('sluice.ledger.lost')?.sum).toMatchObject({ isMonotonic: true });
    expect(byName.get('sluice.catalog.entries')?.gauge?.dataPoints.map(attributesOf)).toEqual([
      { kind: 'models' },
      { kind: 'plans' },
    ]);
    // Logs go to standard output, and no trace was started.
    expect(collector.paths()).toEqual(['/v1/metrics']);
  });

  it('that were initialized are 0 before the first event, and count from there', async () => {
    await using collector = await startCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    const telemetry = await startTelemetry('gateway', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    initCounters('sluice.gateway.retries', [{ cause: 'silent' }, { cause: 'gap' }]);
    count('sluice.gateway.retries', { cause: 'gap' });
    await telemetry[Symbol.asyncDispose]();
    const [retries] = collector.metrics();
    expect(
      retries?.sum?.dataPoints.map((point) => [
        Number(point.asDouble ?? point.asInt),
        attributesOf(point),
      ]),
    ).toEqual([
      [0, { cause: 'silent' }],
      [1, { cause: 'gap' }],
    ]);
  });

  it('of a model are initialized once after each start of metrics, and not while metrics are off', async () => {
    await using collector = await startCollector();
    const begin = vi.fn((_model: string) => undefined);
    const beginOnce = oncePerModel(begin);
    beginOnce('a');
    expect(begin).not.toHaveBeenCalled();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    for (const _start of ['first', 'second']) {
      await using _telemetry = await startTelemetry('gateway', {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      });
      for (const model of ['a', 'a', 'b', 'a']) beginOnce(model);
    }
    expect(begin.mock.calls).toEqual([['a'], ['b'], ['a'], ['b']]);
  });

  it('of a model with other labels are initialized once for each set of labels', async () => {
    await using collector = await startCollector();
    const begin = vi.fn((_model: string, _target: string) => undefined);
    const beginOnce = oncePerModel(begin);
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    await using _telemetry = await startTelemetry('gateway', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    for (const target of ['x', 'y', 'x']) beginOnce('a', target);
    expect(begin.mock.calls).toEqual([
      ['a', 'x'],
      ['a', 'y'],
    ]);
  });

  it('that cannot be exported delay the end of a process only briefly, and do not make it fail', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const endpoint = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    closed.close();
    await once(closed, 'close');
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
    const telemetry = await startTelemetry('gateway', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    count('sluice.gateway.retries', { cause: 'silent' });
    await telemetry[Symbol.asyncDispose]();
    expect(metricsEnabled()).toBe(false);
  });
});
