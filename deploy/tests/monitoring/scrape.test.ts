import { MetricsPage } from '@sluice/devkit';
import { METRICS, count, measure, observe, startTelemetry, type MetricName } from '@sluice/service';
import { afterEach, expect, test, vi } from 'vitest';
import { prometheusSpelling } from '../../dashboards/src/prometheus-names.ts';

afterEach(() => void vi.unstubAllEnvs());

/** One metric of each kind and unit. */
const SAID = [
  'sluice.gateway.retries',
  'sluice.gateway.first_token.duration',
  'sluice.gateway.input_estimate.ratio',
  'sluice.ledger.stored',
  'sluice.runtime.up',
  'sluice.worker.slots',
] as const satisfies readonly MetricName[];

function sayEach(): void {
  count('sluice.gateway.retries', { cause: 'silent' });
  measure('sluice.gateway.first_token.duration', { model: 'small', target: 'gpu' }, 0.2);
  measure('sluice.gateway.input_estimate.ratio', { model: 'small' }, 1);
  observe('sluice.ledger.stored', () => [[1, { kind: 'outcomes' }]]);
  observe('sluice.runtime.up', () => 1);
  observe('sluice.worker.slots', () => 64);
}

test('a page of metrics spells them as dashboards and alerts do', async () => {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('test', metrics.settings);
  sayEach();
  const page = await metrics.read();
  const series = page.match(/^sluice_\w+/gm) ?? [];
  const expected = SAID.flatMap((name) =>
    METRICS[name].kind === 'histogram'
      ? (['bucket', 'count', 'sum'] as const).map((part) => prometheusSpelling(name, part).scraped)
      : prometheusSpelling(name).scraped,
  );
  expect([...new Set(series)].toSorted()).toEqual(expected.toSorted());
});
