import { beforeEach, describe, expect, it } from 'vitest';
import { fill, model, organization, plan } from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { ModelLists } from './model-lists.ts';

let store: MemoryResourceStore;
let lists: ModelLists;
beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
  store.put('models', { ...model, id: 'other/model' });
  store.put('organizations', { ...organization, id: 'second', members: [] });
  lists = new ModelLists(store.state);
});

const idsOf = (organizationId: string) => lists.listOf(organizationId).map(({ id }) => id);

describe('the list of a plan', () => {
  it('is the same object for all its organizations, also after unrelated changes', () => {
    const list = lists.listOf(organization.id);
    expect(lists.listOf('second')).toBe(list);
    store.put('plans', { ...plan, id: 'another' });
    store.put('organizations', { ...organization, retention: 'zero' });
    expect(lists.listOf(organization.id)).toBe(list);
  });

  it('is made again after each change of a model: created, updated, deleted, unreadable', () => {
    expect(idsOf(organization.id)).toEqual([model.id]);
    store.put('models', { ...model, id: 'plain' });
    expect(idsOf(organization.id)).toEqual([model.id, 'plain']);
    store.put('models', { ...model, context_length: 7 });
    expect(lists.listOf(organization.id)[0]?.context_length).toBe(7);
    store.append('models/plain', undefined);
    expect(idsOf(organization.id)).toEqual([model.id]);
    store.append(`models/${model.id}`, Buffer.from('damaged'));
    expect(idsOf(organization.id)).toEqual([]);
  });

  it('is made again after a change of the plan', () => {
    expect(idsOf(organization.id)).toEqual([model.id]);
    store.put('plans', { ...plan, models: ['other/*'] });
    expect(idsOf(organization.id)).toEqual(['other/model']);
  });

  it('belongs to the current plan of the organization', () => {
    store.put('plans', { ...plan, id: 'all', models: ['*'] });
    expect(idsOf('second')).toEqual([model.id]);
    store.put('organizations', { ...organization, id: 'second', plan: 'all', members: [] });
    expect(idsOf('second')).toEqual([model.id, 'other/model']);
    expect(idsOf(organization.id)).toEqual([model.id]);
  });

  it('is unavailable for a plan that cannot be read', () => {
    lists.listOf(organization.id);
    store.append(`plans/${plan.id}`, Buffer.from('damaged'));
    expect(() => lists.listOf(organization.id)).toThrow('cannot be read');
  });

  it('is made again after the store was recreated', () => {
    store.put('models', { ...model, id: 'plain' });
    expect(idsOf(organization.id)).toEqual([model.id, 'plain']);
    store.restore(store.entries.length - 1);
    expect(idsOf(organization.id)).toEqual([model.id]);
  });
});

it('lists are kept up to a total number of models, and the least recently used are removed first', () => {
  store.put('plans', { ...plan, id: 'all', models: ['*'] });
  store.put('organizations', { ...organization, id: 'of-all', plan: 'all', members: [] });
  store.put('plans', { ...plan, id: 'one', models: ['other/*'] });
  store.put('organizations', { ...organization, id: 'of-one', plan: 'one', members: [] });
  lists = new ModelLists(store.state, { maxListed: 5 });
  const first = lists.listOf(organization.id);
  const all = lists.listOf('of-all');
  expect(lists.listOf(organization.id)).toBe(first);
  const one = lists.listOf('of-one');
  expect(lists.listOf(organization.id)).toBe(first);
  expect(lists.listOf('of-one')).toBe(one);
  expect(lists.listOf('of-all')).not.toBe(all);
});
