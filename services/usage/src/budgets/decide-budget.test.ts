import { unitsOf } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { decideBudget } from './decide-budget.ts';

const month = '2027-01';
const budget = {
  organization: 'acme',
  monthly: '100',
  thresholds: [50, 80, 100],
  hard: true,
  webhooks: [],
  stop: null,
  deleted: false,
};
const stop = { month, monthly: '100', spent: '101' };
const stopped = { ...budget, stop };
const decide = (of: typeof budget | typeof stopped, spent: string, complete = true) =>
  decideBudget(of, { month, spent: unitsOf(spent), complete });

it.each([
  ['49.999999999999', []],
  ['50', [50]],
  ['99.999999999999', [50, 80]],
  ['100', [50, 80, 100]],
])('with %s spent of 100, the thresholds %j are reached', (spent, reached) => {
  expect(decide(budget, spent).reached).toEqual(reached);
});

it('stops exactly at the budget, also while the tables are behind', () => {
  expect(decide(budget, '99.999999999999').change).toEqual({ kind: 'none' });
  const change = { kind: 'stop', stop: { month, monthly: '100', spent: '100' } };
  expect(decide(budget, '100').change).toEqual(change);
  expect(decide(budget, '100', false).change).toEqual(change);
});

it('does not repeat a decision', () => {
  expect(decide(stopped, '250').change).toEqual({ kind: 'none' });
});

it('keeps a stop while the tables are rebuilt, with the amount that they have lost', () => {
  expect(decide(stopped, '3', false).change).toEqual({ kind: 'none' });
  expect(decide(stopped, '3').change).toEqual({ kind: 'none' });
  const raised = { ...stopped, monthly: '100.5' };
  expect(decide(raised, '3').change).toMatchObject({ kind: 'stop', stop: { spent: '101' } });
});

it('lifts after a raise or in a new month, once the tables are complete', () => {
  for (const lifted of [
    { ...stopped, monthly: '200' },
    { ...stopped, stop: { ...stop, month: '2026-12' } },
  ]) {
    expect(decide(lifted, '3', false).change).toEqual({ kind: 'none' });
    expect(decide(lifted, '3').change).toEqual({ kind: 'lift' });
  }
});

it.each([
  ['was deleted', { ...stopped, deleted: true }],
  ['has a soft budget', { ...stopped, hard: false }],
  [
    'has no budget',
    { organization: 'acme', thresholds: [], hard: true, webhooks: [], stop, deleted: false },
  ],
])('lifts at once if the organization %s', (_, changed) => {
  const decided = decideBudget(changed, { month, spent: unitsOf('500'), complete: false });
  expect(decided.change).toEqual({ kind: 'lift' });
});

it('a budget of 0 stops in every month, and has no thresholds', () => {
  const nothing = { ...budget, monthly: '0' };
  expect(decide(nothing, '0')).toMatchObject({ reached: [], change: { kind: 'stop' } });
});
