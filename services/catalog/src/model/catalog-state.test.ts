import { describe, expect, it } from 'vitest';
import { fill, plan } from '../../tests/example-documents.ts';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { CatalogState } from './catalog-state.ts';

const at = (sequence: number, epoch = EPOCH) => ({ epoch, sequence });
const AT_ONCE = 0;

describe('the state', () => {
  it('is complete only once it has caught up', async () => {
    const state = new CatalogState();
    state.reset(EPOCH);
    state.apply({ name: 'plans/x', value: undefined, sequence: 5 });
    expect(state.loaded).toBe(false);
    expect(await state.reached(at(1), AT_ONCE)).toBe(false);
    state.caughtUp(5);
    expect(state.loaded).toBe(true);
    expect(await state.reached(at(5), AT_ONCE)).toBe(true);
  });

  it('waits for a position up to the given time', async () => {
    const { state } = new MemoryResourceStore();
    const waiting = state.reached(at(2), 5_000);
    state.apply({ name: 'plans/a', value: undefined, sequence: 1 });
    state.apply({ name: 'plans/b', value: undefined, sequence: 2 });
    expect(await waiting).toBe(true);
    expect(await state.reached(at(3), 1)).toBe(false);
  });

  it('keeps waiting for a position that is not reached yet', async () => {
    const { state } = new MemoryResourceStore();
    let isReached = false;
    const waiting = state.reached(at(2), 5_000).then((reached) => (isReached = reached));
    state.apply({ name: 'plans/a', value: undefined, sequence: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isReached).toBe(false);
    state.apply({ name: 'plans/b', value: undefined, sequence: 2 });
    await waiting;
    expect(isReached).toBe(true);
  });

  it('keeps its position if it catches up to an earlier one', () => {
    const state = new CatalogState();
    state.reset(EPOCH);
    state.apply({ name: 'plans/x', value: undefined, sequence: 5 });
    state.caughtUp(3);
    expect(state.position).toEqual(at(5));
  });

  it('is behind every position of a newer store, and past those of an older one', async () => {
    const { state } = new MemoryResourceStore();
    expect(await state.reached(at(0, EPOCH + 1), AT_ONCE)).toBe(false);
    expect(await state.reached(at(999, EPOCH - 1), AT_ONCE)).toBe(true);
  });

  it('starts again after the store was recreated', async () => {
    const store = new MemoryResourceStore();
    fill(store);
    const waiting = store.state.reached(at(0, EPOCH + 1), 5_000);
    store.state.reset(EPOCH + 1);
    expect(store.state.loaded).toBe(false);
    expect(store.state.get('plans', plan.id)).toBeUndefined();
    expect(store.state.apiKeyByDigest('0'.repeat(64))).toBeUndefined();
    store.state.caughtUp(0);
    expect(await waiting).toBe(true);
    expect(store.state.position).toEqual(at(0, EPOCH + 1));
  });

  it('ignores changes that it has received before', () => {
    const store = new MemoryResourceStore();
    fill(store);
    store.state.apply({ name: `plans/${plan.id}`, value: undefined, sequence: 1 });
    expect(store.state.get('plans', plan.id)?.sequence).toBe(1);
  });

  it('treats an unreadable entry as absent, reports it, and continues', () => {
    const unreadable: string[] = [];
    const store = new MemoryResourceStore(new CatalogState(({ name }) => unreadable.push(name)));
    fill(store);
    store.append(`plans/${plan.id}`, Buffer.from('damaged'));
    store.append('weather/today', Buffer.from('not ours'));
    expect(unreadable).toEqual([`plans/${plan.id}`]);
    expect(store.state.get('plans', plan.id)).toBeUndefined();
    expect(store.state.position.sequence).toBe(8);
  });
});
