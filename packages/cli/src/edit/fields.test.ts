import { expect, test } from 'vitest';
import { FIELDS, limitFields, readEdit, type Draft } from './fields.ts';

function edited(draft: Draft, values: Readonly<Record<string, unknown>>): Draft {
  readEdit({ ...FIELDS.organizations, ...limitFields('of the plan') }, values)?.(draft);
  return draft;
}

test('only fields that are named change', () => {
  const before = { id: 'acme', plan: 'free', limits: { tokens_per_day: 5, requests_per_day: 1 } };
  expect(edited(before, { 'tokens-per-day': 'unlimited', 'requests-per-day': 'default' })).toEqual({
    id: 'acme',
    plan: 'free',
    limits: { tokens_per_day: null },
  });
});

test('a budget keeps its thresholds', () => {
  const budget = { monthly: '10', thresholds: [90], hard: false };
  expect(edited({ id: 'acme', budget }, { budget: '12.5' })).toEqual({
    id: 'acme',
    budget: { ...budget, monthly: '12.5' },
  });
  expect(edited({ id: 'acme' }, { budget: 'unlimited' })).toEqual({
    id: 'acme',
    budget: { monthly: null },
  });
});

test('members are added, changed and removed one by one', () => {
  const members = ['ada', 'ben', 'cleo'].map((account) => ({ account, active: true }));
  const { members: after } = edited(
    { id: 'acme', members },
    { member: ['dan'], 'inactive-member': ['ben'], 'remove-member': ['cleo'] },
  );
  expect(after).toEqual([
    { account: 'ada', active: true },
    { account: 'dan', active: true },
    { account: 'ben', active: false },
  ]);
});

test('a value that is not a number is refused, with the name of its option', () => {
  expect(() => edited({}, { weight: 'heavy' })).toThrow(/^--weight: 'heavy' is not a number$/);
});
