import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CatalogModel } from '@sluice/contracts';
import { waitUntil } from '@sluice/testkit';
import { describe, expect, it } from 'vitest';
import { SharedShelves } from './shared-shelves.ts';

const model = (id: string): CatalogModel => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'sluice',
  shutdown_date: null,
  pool: 'default',
  runtime_model: id,
  reasoning_history: 'optional',
  input_token_ratio: 1,
});

describe('shelves', () => {
  it('of the same models are one', () => {
    const shelves = new SharedShelves();
    const shelf = shelves.shelfOf([model('a'), model('b')]);
    expect(shelves.shelfOf([model('a'), model('b')])).toBe(shelf);
  });

  it('that differ in anything are not', () => {
    const shelves = new SharedShelves();
    const shelf = shelves.shelfOf([model('a')]);
    expect(shelves.shelfOf([{ ...model('a'), input_token_ratio: 2 }])).not.toBe(shelf);
    expect(shelves.shelfOf([model('a'), model('b')])).not.toBe(shelf);
    expect(shelves.shelfOf([]).find('a', 0)).toBeUndefined();
  });

  it('go when nobody uses them any more', async () => {
    const shelves = new SharedShelves();
    const gone = new WeakRef(shelves.shelfOf([model('a')]));
    await waitUntil(
      () => {
        collectGarbage();
        return gone.deref() === undefined;
      },
      { what: 'the shelf to go' },
    );
    expect(shelves.shelfOf([model('a')]).find('a', 0)).toEqual(model('a'));
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
