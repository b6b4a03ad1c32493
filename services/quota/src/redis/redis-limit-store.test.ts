import { describe, expect, it } from 'vitest';
import { REVISION, UNLIMITED } from '../../tests/support/calls.ts';
import { groupIntoCalls } from './redis-limit-store.ts';

function callOf(organization: string, costs = 1) {
  return {
    organization,
    limits: UNLIMITED,
    revision: REVISION,
    costs: Array.from({ length: costs }, () => ({ requests: 1, tokens: 1 })),
  };
}

function dividedBySize(...sizes: readonly number[]): number[][] {
  const calls = sizes.map((size, index) => callOf(`organization-${index}`, size));
  return groupIntoCalls(calls).map((part) => part.map(({ costs }) => costs.length));
}

describe('calls of many organizations', () => {
  it('are grouped by sixteen, in order', () => {
    const names = Array.from({ length: 33 }, (_, index) => `organization-${index}`);
    const parts = groupIntoCalls(names.map((name) => callOf(name)));
    expect(parts.map(({ length }) => length)).toEqual([16, 16, 1]);
    expect(parts.flat().map(({ organization }) => organization)).toEqual(names);
  });

  it('are sent one by one if the maximum is 1', () => {
    expect(groupIntoCalls([callOf('a'), callOf('b')], 1)).toHaveLength(2);
  });

  it.each([
    { sizes: [200, 56, 1], parts: [[200, 56], [1]] },
    { sizes: [200, 57], parts: [[200], [57]] },
    { sizes: [200, 100, 150, 6], parts: [[200], [100, 150, 6]] },
    { sizes: [1, 300, 1], parts: [[1], [300], [1]] },
    { sizes: [], parts: [] },
  ])('are grouped up to 256 costs, unless a single call has more: $sizes', ({ sizes, parts }) => {
    expect(dividedBySize(...sizes)).toEqual(parts);
  });

  it('never have an organization twice in one group', () => {
    const parts = groupIntoCalls([callOf('a'), callOf('b'), callOf('a'), callOf('a')]);
    expect(parts.map((part) => part.map(({ organization }) => organization))).toEqual([
      ['a', 'b'],
      ['a'],
      ['a'],
    ]);
  });
});
