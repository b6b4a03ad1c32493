import { describe, expect, it } from 'vitest';
import { REVISION, UNLIMITED } from '../../tests/support/calls.ts';
import { divideCalls } from './divide-calls.ts';

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
  return divideCalls(calls).map((part) => part.map(({ costs }) => costs.length));
}

describe('calls of many organizations', () => {
  it('go sixteen together, in their order', () => {
    const names = Array.from({ length: 33 }, (_, index) => `organization-${index}`);
    const parts = divideCalls(names.map((name) => callOf(name)));
    expect(parts.map(({ length }) => length)).toEqual([16, 16, 1]);
    expect(parts.flat().map(({ organization }) => organization)).toEqual(names);
  });

  it('go one by one where that is said', () => {
    expect(divideCalls([callOf('a'), callOf('b')], 1)).toHaveLength(2);
  });

  it.each([
    { sizes: [200, 56, 1], parts: [[200, 56], [1]] },
    { sizes: [200, 57], parts: [[200], [57]] },
    { sizes: [200, 100, 150, 6], parts: [[200], [100, 150, 6]] },
    { sizes: [1, 300, 1], parts: [[1], [300], [1]] },
    { sizes: [], parts: [] },
  ])('hold no more than 256 costs, but for a single one: $sizes', ({ sizes, parts }) => {
    expect(dividedBySize(...sizes)).toEqual(parts);
  });

  it('never hold an organization twice', () => {
    const parts = divideCalls([callOf('a'), callOf('b'), callOf('a'), callOf('a')]);
    expect(parts.map((part) => part.map(({ organization }) => organization))).toEqual([
      ['a', 'b'],
      ['a'],
      ['a'],
    ]);
  });
});
