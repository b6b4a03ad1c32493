import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { count } from './metrics.ts';
import { startTelemetry } from './start-telemetry.ts';

afterEach(() => vi.unstubAllEnvs());

interface Page extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
}

/** Serves a page of metrics on the address `listening`. Its URL has the address `asked`. One counter is not empty. */
async function pageOn(listening: string, asked: string): Promise<Page> {
  const place = createServer().listen(0, asked.replaceAll(/[[\]]/g, ''));
  await once(place, 'listening');
  const { port } = place.address() as AddressInfo;
  await once(place.close(), 'close');
  const settings = {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: listening,
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const telemetry = await startTelemetry('test', settings);
  count('sluice.gateway.retries', { cause: 'silent' });
  return {
    url: `http://${asked}:${port}`,
    [Symbol.asyncDispose]: () => telemetry[Symbol.asyncDispose](),
  };
}

async function expectPage(listening: string, asked: string): Promise<void> {
  await using page = await pageOn(listening, asked);
  const reply = await fetch(`${page.url}/metrics?any`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain');
  expect(await reply.text()).toContain('sluice_gateway_retries_total');
}

it.each([
  ['0.0.0.0', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
])('a page that is served on %s is read on %s', expectPage);

const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
const hasNoIpv6 = interfaces.every(({ family }) => family !== 'IPv6');

it.skipIf(hasNoIpv6).each([
  ['::', '[::1]'],
  ['::', '127.0.0.1'],
  ['::1', '[::1]'],
])('a page that is served on %s is read on %s', expectPage);

it('a page answers a HEAD request', async () => {
  await using page = await pageOn('127.0.0.1', '127.0.0.1');
  const reply = await fetch(`${page.url}/metrics`, { method: 'HEAD' });
  expect(reply.status).toBe(200);
});

it.each([
  ['another path', 'GET', '/'],
  ['a path below it', 'GET', '/metrics/more'],
  ['a path that is none', 'GET', '//'],
  ['another method', 'POST', '/metrics'],
])('%s is not found', async (_, method, path) => {
  await using page = await pageOn('127.0.0.1', '127.0.0.1');
  const reply = await fetch(`${page.url}${path}`, { method });
  expect(reply.status).toBe(404);
  expect(await reply.text()).toBe('');
});

it('the page ends with the telemetry', async () => {
  const page = await pageOn('127.0.0.1', '127.0.0.1');
  const reply = await fetch(`${page.url}/metrics`);
  await reply.text();
  await page[Symbol.asyncDispose]();
  await expect(fetch(`${page.url}/metrics`)).rejects.toThrow('fetch failed');
});
