import { expect, test } from 'vitest';
import { changesOf } from './audit-changes.ts';

test('Only fields that differ are changes, also inside lists', () => {
  const before = { same: [1, { a: 2 }], limit: 1, gone: 'x' };
  const after = { same: [1, { a: 2 }], limit: 2, added: null };
  expect(changesOf(before, after)).toEqual([
    { field: 'limit', before: '1', after: '2' },
    { field: 'gone', before: 'x', after: null },
    { field: 'added', before: null, after: 'null' },
  ]);
});
