import type { CatalogModel } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { ModelShelf } from './model-shelf.ts';

const modelOf = (id: string, shutdown_date: string | null): CatalogModel => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'acme',
  shutdown_date,
  pool: 'default',
  runtime_model: id,
  reasoning_history: 'optional',
  input_token_ratio: 0.25,
});

test('a model is there until the day of its shutdown begins, in UTC', () => {
  const shelf = new ModelShelf([modelOf('stays', null), modelOf('goes', '2026-03-01')]);
  const midnight = Date.UTC(2026, 2, 1);
  const seen = (nowMs: number) => [
    shelf.find('goes', nowMs)?.id,
    shelf.available(nowMs).map(({ id }) => id),
    shelf.listBody(nowMs).includes('"goes"'),
  ];
  expect(seen(midnight - 1)).toEqual(['goes', ['stays', 'goes'], true]);
  expect(seen(midnight)).toEqual([undefined, ['stays'], false]);
  expect(shelf.find('stays', midnight)?.id).toBe('stays');
});
