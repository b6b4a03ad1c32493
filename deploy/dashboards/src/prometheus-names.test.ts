import { expect, test } from 'vitest';
import { everySeries, prometheusSpelling } from './prometheus-names.ts';

test('the name of a counter ends in total, scraped or pushed', () => {
  const spelled = 'sluice_gateway_requests_total';
  expect(prometheusSpelling('sluice.gateway.requests')).toEqual({
    scraped: spelled,
    pushed: spelled,
  });
});

test('OTLP adds the unit to a histogram of seconds and to a gauge from 0 to 1', () => {
  expect(prometheusSpelling('sluice.worker.run.duration', 'bucket')).toEqual({
    scraped: 'sluice_worker_run_duration_bucket',
    pushed: 'sluice_worker_run_duration_seconds_bucket',
  });
  expect(prometheusSpelling('sluice.runtime.up')).toEqual({
    scraped: 'sluice_runtime_up',
    pushed: 'sluice_runtime_up_ratio',
  });
});

test('a histogram of ratios and a gauge of things keep their names', () => {
  const ratio = prometheusSpelling('sluice.gateway.input_estimate.ratio', 'count');
  expect(ratio.pushed).toBe(ratio.scraped);
  const slots = prometheusSpelling('sluice.worker.slots');
  expect(slots.pushed).toBe(slots.scraped);
});

test('a query names one part of a histogram, and only its buckets have bounds', () => {
  expect(() => prometheusSpelling('sluice.worker.run.duration')).toThrow('part');
  const labels = everySeries();
  expect(labels.get('sluice_worker_run_duration_bucket')).toContain('le');
  expect(labels.get('sluice_worker_run_duration_count')).not.toContain('le');
});
