import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CatalogModel } from '@sluice/contracts';
import { waitUntil } from '@sluice/testkit';
import { describe, expect, it } from 'vitest';
import { ModelShelf } from './model-shelf.ts';
import { SharedShelves, type ToldModels } from './shared-shelves.ts';

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

/** As a catalog of an older version tells them. */
const untagged = (models: readonly CatalogModel[]): ToldModels => ({
  tag: undefined,
  read: () => models,
});
const tagged = (tag: string, ...models: CatalogModel[]): ToldModels => ({
  tag,
  read: () => models,
});
/** As told to one who has said that it knows the tag. */
const known = (tag: string): ToldModels => ({
  tag,
  read: () => {
    throw new Error('not told');
  },
});

describe('shelves', () => {
  it('of the same models are one', () => {
    const shelves = new SharedShelves();
    const shelf = shelves.shelfOf(untagged([model('a'), model('b')]));
    expect(shelves.shelfOf(untagged([model('a'), model('b')]))).toBe(shelf);
  });

  it('that differ in anything are not', () => {
    const shelves = new SharedShelves();
    const shelf = shelves.shelfOf(untagged([model('a')]));
    expect(shelves.shelfOf(untagged([{ ...model('a'), input_token_ratio: 2 }]))).not.toBe(shelf);
    expect(shelves.shelfOf(untagged([model('a'), model('b')]))).not.toBe(shelf);
    expect(shelves.shelfOf(untagged([])).find('a', 0)).toBeUndefined();
  });

  it('of the same tag are one, and their models are read once', () => {
    const shelves = new SharedShelves();
    const shelf = shelves.shelfOf(tagged('one', model('a')));
    expect(shelf.find('a', 0)).toEqual(model('a'));
    expect(shelves.shelfOf(known('one'))).toBe(shelf);
    expect(shelves.shelfOf(tagged('two', model('a')))).not.toBe(shelf);
    expect(() => shelves.shelfOf(known('never told'))).toThrow('not told');
  });

  it('are known by the tag of the one that somebody had, and by the latest', () => {
    const shelves = new SharedShelves();
    const [first, ...others] = Array.from({ length: 20 }, (_, number) =>
      shelves.shelfOf(tagged(`tag ${number}`, model(`model ${number}`))),
    );
    const latest = new Map(others.slice(3).map((shelf, at) => [`tag ${at + 4}`, shelf]));
    expect(latest.size).toBe(16);
    expect(shelves.known(undefined)).toEqual(latest);
    expect(shelves.known(others.at(-1))).toEqual(latest);
    expect(shelves.known(first)).toEqual(new Map([['tag 0', first], ...latest]));
    shelves.shelfOf(known('tag 4'));
    shelves.shelfOf(tagged('tag 20', model('model 20')));
    expect([...shelves.known(undefined).keys()]).toContain('tag 4');
    expect([...shelves.known(undefined).keys()]).not.toContain('tag 5');
  });

  it('without a tag are not known by one', () => {
    const shelves = new SharedShelves();
    expect(shelves.known(shelves.shelfOf(untagged([model('a')])))).toEqual(new Map());
  });

  it('that are known stay while they are held, used or not', async () => {
    const shelves = new SharedShelves();
    shelves.shelfOf(tagged('one', model('a')));
    const held = shelves.known(undefined);
    expect([...held.keys()]).toEqual(['one']);
    const other = new WeakRef(new SharedShelves().shelfOf(tagged('one', model('a'))));
    await waitUntil(
      () => {
        collectGarbage();
        return other.deref() === undefined;
      },
      { what: 'a shelf that nobody holds to go' },
    );
    expect(shelves.shelfOf(known('one'), held).find('a', 0)).toEqual(model('a'));
  });

  it('are found among those that were known when the catalog was asked', () => {
    const asked = new ModelShelf([model('a')]);
    expect(new SharedShelves().shelfOf(known('one'), new Map([['one', asked]]))).toBe(asked);
  });

  it('go when nobody uses them any more', async () => {
    const shelves = new SharedShelves();
    const gone = new WeakRef(shelves.shelfOf(untagged([model('a')])));
    await waitUntil(
      () => {
        collectGarbage();
        return gone.deref() === undefined;
      },
      { what: 'the shelf to go' },
    );
    expect(shelves.shelfOf(untagged([model('a')])).find('a', 0)).toEqual(model('a'));
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
