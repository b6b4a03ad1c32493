import { describe, expect, test } from 'vitest';
import { queryFaults } from './query-faults.ts';

describe('a query', () => {
  test('of our metrics and their labels is right', () => {
    const share =
      'sum by (code) (rate(sluice_gateway_requests_total{outcome="failed", code!="none"}[5m])) / sum(rate(sluice_gateway_requests_total[$__rate_interval])) > 0.1';
    const slowest =
      'histogram_quantile(0.5, sum by (le, model) (rate({__name__=~"sluice_worker_run_duration_bucket|sluice_worker_run_duration_seconds_bucket", end="finished"}[5m])))';
    const missing = 'label_replace(absent(sluice_worker_slots), "service", "worker", "", "")';
    const grown =
      'sum by (cause) (rate(sluice_gateway_retries_total[$__rate_interval])) and sum by (cause) (increase(sluice_gateway_retries_total[$__range] @ end())) > 0';
    expect([share, slowest, missing, grown].flatMap(queryFaults)).toEqual([]);
  });

  test.each([
    ['sum(rate(sluice_gateway_requests[5m]))', 'there is no sluice_gateway_requests'],
    ['{__name__=~"sluice_runtime_up|sluice_up"}', 'there is no sluice_up'],
    [
      'sum by (organization) (rate(sluice_gateway_requests_total[5m]))',
      'sluice_gateway_requests_total has no organization',
    ],
    ['sluice_worker_slots{pool="large"}', 'sluice_worker_slots has no pool'],
    [
      'sum by (le) (rate(sluice_worker_run_duration_count[5m]))',
      'sluice_worker_run_duration_count has no le',
    ],
    ['sum(sluice_worker_slots) + sum(node_load1)', 'node_load1 is unknown'],
    ['1 > 0', 'it reads no metric'],
  ])('that is wrong is detected: %s', (query, fault) => {
    expect(queryFaults(query)).toEqual([fault]);
  });
});
