import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createLogger } from './logger.ts';
import { count } from './metrics.ts';
import { startTelemetry, type TelemetryEnvironment } from './start-telemetry.ts';

afterEach(() => vi.unstubAllEnvs());

type Variables = TelemetryEnvironment & Record<string, string>;

/** Starts telemetry and counts something. The SDK reads some variables itself. Log lines are appended to `lines`. */
async function start(environment: Variables, lines: string[]): Promise<AsyncDisposable> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'test', level: 'info', destination });
  const telemetry = await startTelemetry('test', environment, logger);
  count('sluice.gateway.retries', { cause: 'silent' });
  return telemetry;
}

/** The log lines of a start with these variables. */
async function linesOf(environment: Variables, isEnough = () => true): Promise<string[]> {
  const lines: string[] = [];
  await using _telemetry = await start(environment, lines);
  await vi.waitUntil(() => lines.length > 0 && isEnough(), { timeout: 10_000 });
  return lines;
}

const TROUBLE = expect.objectContaining({
  level: 'warn',
  msg: 'traces or metrics cannot be exported: OTEL_LOG_LEVEL=warn shows the reason',
}) as unknown;

it('a port of the metrics page that is in use is logged', async () => {
  const neighbour = createServer().listen(0, '127.0.0.1');
  await once(neighbour, 'listening');
  const lines = await linesOf({
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String((neighbour.address() as AddressInfo).port),
  });
  neighbour.close();
  const [line = ''] = lines;
  expect(JSON.parse(line)).toEqual(TROUBLE);
  expect(JSON.parse(line)).toMatchObject({ err: { code: 'EADDRINUSE' } });
});

it('an invalid port of the metrics page is logged', async () => {
  const lines = await linesOf({
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_PORT: '94640',
  });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([TROUBLE]);
});

/** The page of metrics and the log lines of a start with these variables. */
async function pageOf(
  environment: Readonly<Record<string, string>>,
): Promise<{ page: string; lines: string[] }> {
  const place = createServer().listen(0, '127.0.0.1');
  await once(place, 'listening');
  const { port } = place.address() as AddressInfo;
  await once(place.close(), 'close');
  const lines: string[] = [];
  await using _telemetry = await start(
    {
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
      ...environment,
    },
    lines,
  );
  const page = await vi.waitFor(async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    return reply.text();
  });
  return { page, lines };
}

it('reading the metrics page logs no problem', async () => {
  const { page, lines } = await pageOf({ OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=test-1' });
  expect(page).toContain('sluice_gateway_retries_total');
  expect(page).toContain('service_name="test"');
  expect(page).toContain('service_instance_id="test-1"');
  expect(lines).toEqual([]);
});

it.each([
  [undefined, ['host_name', 'os_type', 'process_pid', 'deployment_name']],
  ['none, all', ['host_name', 'os_type', 'process_pid', 'deployment_name']],
  ['os, env', ['os_type', 'deployment_name']],
  ['none', []],
])(
  'the attributes of a process are found by the detectors that are named: %s',
  async (names, told) => {
    const { page } = await pageOf({
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.name=test',
      ...(names === undefined ? {} : { OTEL_NODE_RESOURCE_DETECTORS: names }),
    });
    const target = page.split('\n').find((line) => line.startsWith('target_info')) ?? '';
    const known = ['host_name', 'os_type', 'process_pid', 'deployment_name'];
    expect(target).toContain('service_name="test"');
    expect(known.filter((name) => target.includes(`${name}="`))).toEqual(told);
  },
);

it('an unknown exporter is logged', async () => {
  const [line = ''] = await linesOf({ OTEL_METRICS_EXPORTER: 'promtheus' });
  expect(JSON.parse(line)).toEqual(TROUBLE);
});

it('a collector that refuses is logged once, without its answer and without the headers sent to it', async () => {
  let exports = 0;
  const collector = createServer((_request, response) => {
    exports += 1;
    response.writeHead(401, 'not hush-token').end('not hush-token');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hush-token',
    OTEL_METRIC_EXPORT_INTERVAL: '50',
    OTEL_METRIC_EXPORT_TIMEOUT: '50',
  };
  const lines = await linesOf(settings, () => exports >= 3);
  collector.close();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([TROUBLE]);
  expect(lines.join('')).not.toContain('hush');
});
