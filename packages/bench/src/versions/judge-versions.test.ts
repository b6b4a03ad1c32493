import { expect, test } from 'vitest';
import type { Sample } from '../compare/figures.ts';
import { compareFigures, isAccepted, openWorks } from './judge-versions.ts';

const MOST = 1.05;

interface Halves {
  readonly old: number;
  readonly new: number;
  readonly foreignCores?: number;
}

function compare(rounds: readonly Halves[]) {
  const sample = (version: 'old' | 'new') => (halves: Halves, index: number) =>
    ({
      round: index + 1,
      work: 'requests' as const,
      contestant: 'sluice' as const,
      figures: {
        gateway_us_per_request: halves[version],
        all_us_per_request: 2 * halves[version],
      },
      processes: {},
      load: {
        failed: 0,
        failures: {},
        generatorCores: 0,
        generatorLateMs: 0,
        runtimeCores: 0,
        foreignCores: halves.foreignCores ?? 0,
      },
    }) satisfies Sample;
  const samples = { old: rounds.map(sample('old')), new: rounds.map(sample('new')) };
  return compareFigures(samples, ['requests'], MOST);
}

const times = (count: number, halves: Halves) => Array.from({ length: count }, () => halves);

test('a slow minute that affects both versions changes no ratio', () => {
  const [gateway] = compare([
    ...times(4, { old: 100, new: 102 }),
    ...times(2, { old: 200, new: 204 }),
  ]);
  expect(gateway).toMatchObject({ old: 100, new: 102, ratio: 1.02, rounds: 6, verdict: 'within' });
});

test('a version that costs more in every round is costlier', () => {
  const comparisons = compare(times(6, { old: 100, new: 107 }));
  expect(comparisons.map(({ verdict }) => verdict)).toEqual(['costlier', 'costlier']);
  expect(openWorks(comparisons).size).toBe(0);
  expect(isAccepted(comparisons)).toBe(false);
});

test.each([
  ['too few rounds', times(5, { old: 100, new: 100 })],
  ['rounds that disagree', [...times(5, { old: 100, new: 100 }), { old: 100, new: 120 }]],
])('%s leave a workload undecided, not costlier', (_why, rounds) => {
  const comparisons = compare(rounds);
  expect([...openWorks(comparisons)]).toEqual(['requests']);
  expect(isAccepted(comparisons)).toBe(true);
});

test('rounds in which other programs used the processors decide nothing', () => {
  const [mixed] = compare([
    ...times(6, { old: 100, new: 100 }),
    { old: 100, new: 300, foreignCores: 1_000 },
  ]);
  expect(mixed).toMatchObject({ ratio: 1, rounds: 6, disturbed: 1, verdict: 'within' });
  const [busy] = compare(times(6, { old: 100, new: 300, foreignCores: 1_000 }));
  expect(busy).toMatchObject({ old: 100, new: 300, rounds: 0, disturbed: 6, verdict: 'open' });
});

test('what could not be measured is not accepted', () => {
  expect(isAccepted(compare([]))).toBe(false);
});
