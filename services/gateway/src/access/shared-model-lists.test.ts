import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CatalogModel } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { ModelList } from './model-list.ts';
import { SharedModelLists, type CatalogModels } from './shared-model-lists.ts';

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

const tagged = (tag: string, ...models: CatalogModel[]): CatalogModels => ({
  tag,
  read: () => models,
});
/** A reply that omits the models, because their tag was sent as known. */
const known = (tag: string): CatalogModels => ({
  tag,
  read: () => {
    throw new Error('models omitted');
  },
});

describe('shared model lists', () => {
  it('are the same object for the same tag, and are decoded once', () => {
    const lists = new SharedModelLists();
    const list = lists.modelsOf(tagged('one', model('a')));
    expect(list.find('a', 0)).toEqual(model('a'));
    expect(lists.modelsOf(known('one'))).toBe(list);
    expect(lists.modelsOf(tagged('two', model('a')))).not.toBe(list);
    expect(() => lists.modelsOf(known('unknown'))).toThrow('models omitted');
  });

  it('are reported once each, when they are decoded', () => {
    const reported: string[][] = [];
    const lists = new SharedModelLists((models) => reported.push(models.map(({ id }) => id)));
    lists.modelsOf(tagged('one', model('a'), model('b')));
    lists.modelsOf(tagged('one', model('a'), model('b')));
    lists.modelsOf(tagged('two', model('c')));
    expect(reported).toEqual([['a', 'b'], ['c']]);
  });

  it('are known by the last tag of the organization and by the latest tags of others', () => {
    const lists = new SharedModelLists();
    const [first, ...others] = Array.from({ length: 20 }, (_, number) =>
      lists.modelsOf(tagged(`tag ${number}`, model(`model ${number}`))),
    );
    const latest = new Map(others.slice(3).map((list, at) => [`tag ${at + 4}`, list]));
    expect(latest.size).toBe(16);
    expect(lists.known(undefined)).toEqual(latest);
    expect(lists.known(others.at(-1))).toEqual(latest);
    expect(lists.known(first)).toEqual(new Map([['tag 0', first], ...latest]));
    lists.modelsOf(known('tag 4'));
    lists.modelsOf(tagged('tag 20', model('model 20')));
    expect([...lists.known(undefined).keys()]).toContain('tag 4');
    expect([...lists.known(undefined).keys()]).not.toContain('tag 5');
  });

  it('stay in memory while the result of `known` is held', async () => {
    const lists = new SharedModelLists();
    lists.modelsOf(tagged('one', model('a')));
    const held = lists.known(undefined);
    expect([...held.keys()]).toEqual(['one']);
    const other = new WeakRef(new SharedModelLists().modelsOf(tagged('one', model('a'))));
    await waitUntil(
      () => {
        collectGarbage();
        return other.deref() === undefined;
      },
      { what: 'an unreferenced list to be collected' },
    );
    expect(lists.modelsOf(known('one'), held).find('a', 0)).toEqual(model('a'));
  });

  it('are found among the lists known when the catalog was called', () => {
    const asked = new ModelList([model('a')]);
    expect(new SharedModelLists().modelsOf(known('one'), new Map([['one', asked]]))).toBe(asked);
  });

  it('are freed when nothing uses them', async () => {
    const lists = new SharedModelLists();
    const freed = new WeakRef(lists.modelsOf(tagged('one', model('a'))));
    await waitUntil(
      () => {
        collectGarbage();
        return freed.deref() === undefined;
      },
      { what: 'the list to be collected' },
    );
    expect(lists.modelsOf(tagged('one', model('a'))).find('a', 0)).toEqual(model('a'));
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
