import { expect, test } from 'vitest';
import type { ContestantName } from '../contestants/contestant.ts';
import type { FigureName } from './figures.ts';
import { judge, type Verdict } from './promises.ts';

const figures: Partial<Record<ContestantName, Partial<Record<FigureName, number>>>> = {
  nginx: { gateway_us_per_paced_event: 16, gateway_us_per_request: 38 },
  portkey: { gateway_us_per_paced_event: 105, gateway_us_per_request: 1_371 },
  sluice: { gateway_us_per_paced_event: 33, gateway_us_per_request: 150, scale_ratio: 1.15 },
};

test('a promise is kept up to its limit, broken above it, and open when something is missing', () => {
  const verdicts = judge(
    (contestant, figure) => figures[contestant]?.[figure],
    () => 0,
  );
  const kept = (text: string) => verdicts.find(({ promise }) => promise.startsWith(text))?.kept;
  expect(kept("relayed event: the gateway over nginx's")).toBe(false);
  expect(kept("relayed event: the gateway over Portkey's")).toBe(false);
  expect(kept("request: the gateway over Portkey's")).toBe(true);
  expect(kept("request: the gateway over nginx's")).toBe(true);
  expect(kept('cost per event of 5,000')).toBe(true);
  expect(kept('added time to first token, p50')).toBeUndefined();
});

const time = (verdicts: readonly Verdict[]) =>
  verdicts.find(({ promise }) => promise === 'added time to first token, p99');

test('while other programs use the machine, costs are judged and times are not', () => {
  const verdicts = judge(
    (contestant) => (contestant === 'sluice' ? 1_000 : 1),
    () => 100,
  );
  const disturbance = 'other programs used too much';
  expect(time(verdicts)).toMatchObject({ value: 1_000, kept: undefined, disturbance });
  const cost = verdicts.find(({ promise }) => promise.startsWith('request: the gateway'));
  expect(cost).toMatchObject({ kept: false, disturbance: undefined });
});

test('a time is not judged if too many of its measurements were left out', () => {
  const judged = (leftOut: number) =>
    judge(
      (_, figure) => (figure === 'first_token_left_out' ? leftOut : 7),
      () => 0,
    );
  expect(time(judged(33))).toMatchObject({ value: 7, kept: true, disturbance: undefined });
  const disturbance = 'the machine ran too slowly';
  expect(time(judged(34))).toMatchObject({ value: 7, kept: undefined, disturbance });
});
