import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MetricsPage } from '@sluice/devkit';
import { METRICS, count, measure, startTelemetry } from '@sluice/service';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => void vi.unstubAllEnvs());

/** The metrics page after 300 models had requests with seven codes each, and one model had a failed request. */
async function pageWith(exporters: Readonly<Record<string, string>>): Promise<string[]> {
  const metrics = await MetricsPage.ofThisProcess(exporters);
  await using _telemetry = await startTelemetry('test', { ...metrics.settings, ...exporters });
  const usual = { operation: 'completions', outcome: 'completed', status: '200', code: 'none' };
  for (let model = 0; model < 300; model += 1) {
    for (const code of ['none', 'a', 'b', 'c', 'd', 'e', 'f']) {
      count('sluice.gateway.requests', { ...usual, code, model: `acme/m${model}` });
    }
  }
  const failed = { outcome: 'failed', status: '502', code: 'upstream_unavailable' };
  count('sluice.gateway.requests', { ...usual, ...failed, model: 'acme/m1' });
  measure('sluice.gateway.first_token.duration', { model: 'acme/m1', target: 'gpu' }, 0.2);
  return (await metrics.read()).split('\n');
}

test('failures are distinguished, however many models were requested before', async () => {
  const page = await pageWith({});
  expect(page.filter((line) => line.includes('overflow'))).toEqual([]);
  expect(page.filter((line) => line.includes('outcome="failed"'))).toHaveLength(1);
  const isBucket = (line: string) => line.startsWith('sluice_gateway_first_token_duration_bucket');
  const { buckets } = METRICS['sluice.gateway.first_token.duration'];
  expect(page.filter(isBucket)).toHaveLength(buckets.length + 1);
});

test('beside a second exporter, the bound of the SDK stays: what one has read is not kept for the other', async () => {
  const collector = createServer((_, reply) => reply.end()).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const page = await pageWith({
    OTEL_METRICS_EXPORTER: 'otlp, prometheus',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  collector.close();
  expect(page.filter((line) => line.includes('overflow'))).toHaveLength(1);
});
