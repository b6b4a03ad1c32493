import { expect, test } from 'vitest';
import { seriesOf } from './usage-series.ts';

const sums = (requests: number) => ({
  requests,
  completed: requests,
  cancelled: 0,
  failed: 0,
  refused: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  delivered_tokens: 0,
  spend: null,
  unpriced: 0,
});
const day = '2027-01-01T00:00:00Z';
const names = { total: 'Total', others: 'Others' };

test('Groups beyond the colours of the chart are added up, so that the columns keep their height', () => {
  const groups = Array.from({ length: 9 }, (_, index) => ({
    names: [day, `m${index}`],
    labels: [day, `Model ${index}`],
    sums: sums(index + 1),
  }));
  const series = seriesOf(groups, [Date.parse(day)], 'requests', names);
  expect(series.map(({ name }) => name)).toEqual([
    'Model 8',
    'Model 7',
    'Model 6',
    'Model 5',
    'Model 4',
    'Others',
  ]);
  expect(series.reduce((sum, { values }) => sum + (values[0] ?? 0), 0)).toBe(45);
});
