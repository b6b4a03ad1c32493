import { MetricsPage, useLeakCheck } from '@sluice/devkit';
import { startTelemetry } from '@sluice/service';
import { afterEach, expect, test, vi } from 'vitest';
import { MODEL } from './fake-catalog.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';

useLeakCheck();
afterEach(() => void vi.unstubAllEnvs());

test('the failure counters of a model start at 0 with its first completion', async () => {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('gateway', metrics.settings);
  await using gateway = await InMemoryGateway.start();
  const ofModel = async () => {
    const page = await metrics.read();
    const lines = page.match(/^sluice_gateway_(requests|unserved)_total.*/gm) ?? [];
    return lines.filter((line) => line.includes(`model="${MODEL.id}"`));
  };
  expect(await ofModel()).toEqual([]);
  for (let request = 0; request < 2; request += 1) {
    const reply = await gateway.complete();
    expect(reply.status).toBe(200);
    await reply.text();
  }
  await vi.waitFor(async () => {
    const lines = await ofModel();
    const isOfGood = (line: string) => line.includes('outcome="completed"');
    expect(lines.filter(isOfGood)).toEqual([expect.stringMatching(/ 2$/)]);
    const others = lines.filter((line) => !isOfGood(line));
    expect(others.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    const labels = others.map((line) => /(?:code|reason)="(\w+)"/.exec(line)?.[1] ?? line);
    expect(labels.toSorted()).toEqual([
      'infrastructure_rate_limit_exceeded',
      'internal_error',
      'no_model',
      'no_room',
      'no_worker',
      'rate_limit_unavailable',
      'service_unavailable',
      'service_unavailable',
      'upstream_credentials_rejected',
      'upstream_model_missing',
      'upstream_unavailable',
      'upstream_unavailable',
    ]);
  });
});
