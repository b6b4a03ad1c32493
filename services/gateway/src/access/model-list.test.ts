import type { CatalogModel } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { ModelList } from './model-list.ts';

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

test('a model is available until 00:00 UTC of its shutdown date', () => {
  const list = new ModelList([modelOf('kept', null), modelOf('ending', '2026-03-01')]);
  const midnight = Date.UTC(2026, 2, 1);
  const seen = (nowMs: number) => [
    list.find('ending', nowMs)?.id,
    list.available(nowMs).map(({ id }) => id),
    list.listBody(nowMs).includes('"ending"'),
  ];
  expect(seen(midnight - 1)).toEqual(['ending', ['kept', 'ending'], true]);
  expect(seen(midnight)).toEqual([undefined, ['kept'], false]);
  expect(list.find('kept', midnight)?.id).toBe('kept');
});
