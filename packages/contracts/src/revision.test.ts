import { expect, test } from 'vitest';
import { isBefore } from './revision.ts';

test('revisions are ordered by their epochs, and within one by their sequences', () => {
  expect(isBefore({ epoch: 1, sequence: 9 }, { epoch: 2, sequence: 1 })).toBe(true);
  expect(isBefore({ epoch: 2, sequence: 1 }, { epoch: 1, sequence: 9 })).toBe(false);
  expect(isBefore({ epoch: 2, sequence: 1 }, { epoch: 2, sequence: 2 })).toBe(true);
  expect(isBefore({ epoch: 2, sequence: 2 }, { epoch: 2, sequence: 2 })).toBe(false);
});
