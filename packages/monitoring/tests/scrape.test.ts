import {
  METRICS,
  count,
  measure,
  observe,
  startTelemetry,
  type MetricName,
} from '@sluice/telemetry';
import { findFreePort } from '@sluice/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { prometheusSpelling } from '../src/prometheus-names.ts';

afterEach(() => void vi.unstubAllEnvs());

/** One of each kind and unit that there is. */
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
  measure('sluice.gateway.first_token.duration', { model: 'small' }, 0.2);
  measure('sluice.gateway.input_estimate.ratio', { model: 'small' }, 1);
  observe('sluice.ledger.stored', () => [[1, { kind: 'outcomes' }]]);
  observe('sluice.runtime.up', () => 1);
  observe('sluice.worker.slots', () => 64);
}

test('a page of metrics spells them as dashboards and alerts do', async () => {
  const port = await findFreePort();
  // Who serves the page reads its own settings from the environment.
  vi.stubEnv('OTEL_METRICS_EXPORTER', 'prometheus');
  vi.stubEnv('OTEL_EXPORTER_PROMETHEUS_HOST', '127.0.0.1');
  vi.stubEnv('OTEL_EXPORTER_PROMETHEUS_PORT', String(port));
  await using _telemetry = await startTelemetry('test', {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_TRACES_EXPORTER: 'none',
  });
  sayEach();
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = page.match(/^sluice_\w+/gm) ?? [];
  const expected = SAID.flatMap((name) =>
    METRICS[name].kind === 'histogram'
      ? (['bucket', 'count', 'sum'] as const).map((part) => prometheusSpelling(name, part).scraped)
      : prometheusSpelling(name).scraped,
  );
  expect([...new Set(series)].toSorted()).toEqual(expected.toSorted());
});
