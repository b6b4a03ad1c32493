import { describe, expect, it } from 'vitest';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { CatalogState } from '../model/catalog-state.ts';
import { ReadinessGate } from './readiness-gate.ts';

const FAR = { epoch: EPOCH + 1, sequence: 1_000 };

function gateOf(state: CatalogState) {
  const surroundings = { live: true, nowMs: 0, end: async () => FAR };
  const gate = new ReadinessGate({
    state,
    store: { end: () => surroundings.end() },
    live: () => surroundings.live,
    clock: () => surroundings.nowMs,
    lagWaitMs: 1,
    staleAnswersMs: 30_000,
  });
  /** As in a process that runs. */
  const pass = (milliseconds: number) => {
    const until = surroundings.nowMs + milliseconds;
    while (surroundings.nowMs < until) {
      surroundings.nowMs = Math.min(surroundings.nowMs + 1_000, until);
      gate.notice();
    }
  };
  return { gate, surroundings, pass };
}

const unavailable: unknown = expect.objectContaining({ code: 'unavailable' });

describe('a request', () => {
  it('waits for its position, and is refused if this is not reached in time', async () => {
    const { state } = new MemoryResourceStore();
    const { gate } = gateOf(state);
    expect(await gate.open()).toBe(state);
    await expect(gate.open({ epoch: EPOCH, sequence: 1 })).rejects.toEqual(unavailable);
    state.apply({ name: 'plans/x', value: undefined, sequence: 1 });
    expect(await gate.open({ epoch: EPOCH, sequence: 1 })).toBe(state);
  });

  it('does not wait for a position that the store itself no longer has', async () => {
    const { state } = new MemoryResourceStore();
    const { gate, surroundings } = gateOf(state);
    state.apply({ name: 'plans/x', value: undefined, sequence: 5 });
    surroundings.end = async () => ({ epoch: EPOCH, sequence: 5 });
    expect(await gate.open({ epoch: EPOCH, sequence: 9 })).toBe(state);
    expect(await gate.open({ epoch: EPOCH + 1, sequence: 1 })).toBe(state);
    // The store has more than this replica: then it is the replica that lags.
    surroundings.end = async () => ({ epoch: EPOCH, sequence: 6 });
    await expect(gate.open({ epoch: EPOCH, sequence: 9 })).rejects.toEqual(unavailable);
    surroundings.end = async () => ({ epoch: EPOCH - 1, sequence: 5 });
    await expect(gate.open({ epoch: EPOCH, sequence: 9 })).rejects.toEqual(unavailable);
    surroundings.end = () => Promise.reject(new Error('not reached'));
    await expect(gate.open({ epoch: EPOCH, sequence: 9 })).rejects.toEqual(unavailable);
    // A store that never answers does not lengthen the wait.
    surroundings.end = () => Promise.withResolvers<typeof FAR>().promise;
    await expect(gate.open({ epoch: EPOCH, sequence: 9 })).rejects.toEqual(unavailable);
  });

  it('is refused before everything is loaded', async () => {
    await expect(gateOf(new CatalogState()).gate.open()).rejects.toEqual(unavailable);
  });

  it('is answered from memory for a while after changes stop arriving', async () => {
    const { gate, surroundings, pass } = gateOf(new MemoryResourceStore().state);
    surroundings.live = false;
    gate.notice();
    pass(30_000);
    await gate.open();
    pass(1);
    await expect(gate.open()).rejects.toEqual(unavailable);
    surroundings.live = true;
    await gate.open();
    surroundings.live = false;
    expect(await gate.open()).toBeInstanceOf(CatalogState);
  });
});

describe('a request to a replica that was paused', () => {
  it('is refused until the replica would have noticed a lost connection', async () => {
    const { gate, surroundings, pass } = gateOf(new MemoryResourceStore().state);
    surroundings.nowMs = 40_000;
    // The replica may have lost its connection without having noticed.
    await expect(gate.open()).rejects.toEqual(unavailable);
    pass(6_999);
    await expect(gate.open()).rejects.toEqual(unavailable);
    pass(1);
    await gate.open();
  });

  it('is refused if the connection is lost, until changes arrive again', async () => {
    const { gate, surroundings, pass } = gateOf(new MemoryResourceStore().state);
    gate.notice();
    surroundings.nowMs = 40_000;
    pass(3_000);
    // Only now it notices the loss.
    surroundings.live = false;
    pass(5_000);
    await expect(gate.open()).rejects.toEqual(unavailable);
    surroundings.live = true;
    await gate.open();
  });

  it('is answered by a replica with many short pauses, while changes arrive', async () => {
    const { gate, surroundings } = gateOf(new MemoryResourceStore().state);
    for (let pause = 0; pause < 20; pause += 1) {
      surroundings.nowMs += 3_000;
      expect(await gate.open()).toBeInstanceOf(CatalogState);
    }
    surroundings.live = false;
    for (let pause = 0; pause < 9; pause += 1) {
      surroundings.nowMs += 3_000;
      gate.notice();
    }
    await expect(gate.open()).rejects.toEqual(unavailable);
    surroundings.live = true;
    await gate.open();
  });

  it('is refused between long pauses that are too close to notice a lost connection', async () => {
    const { gate, surroundings } = gateOf(new MemoryResourceStore().state);
    surroundings.nowMs += 20_000;
    await gate.open();
    for (let pause = 0; pause < 20; pause += 1) {
      surroundings.nowMs += 20_000;
      await expect(gate.open()).rejects.toEqual(unavailable);
    }
  });

  it('is answered after a pause that is shorter than the time limit', async () => {
    const { gate, surroundings } = gateOf(new MemoryResourceStore().state);
    gate.notice();
    surroundings.nowMs = 29_000;
    expect(await gate.open()).toBeInstanceOf(CatalogState);
  });
});

describe('a request that needs the last change', () => {
  it('waits for it, and is refused if it does not arrive in time', async () => {
    const { state } = new MemoryResourceStore();
    const { gate, surroundings } = gateOf(state);
    surroundings.end = async () => ({ epoch: EPOCH, sequence: 1 });
    await expect(gate.openLatest()).rejects.toEqual(unavailable);
    state.apply({ name: 'plans/x', value: undefined, sequence: 1 });
    expect(await gate.openLatest()).toBe(state);
  });

  it('is answered with the known state if the store cannot be asked or does not answer', async () => {
    const { state } = new MemoryResourceStore();
    const { gate, surroundings } = gateOf(state);
    surroundings.end = () => Promise.reject(new Error('not reached'));
    expect(await gate.openLatest()).toBe(state);
    surroundings.end = () => Promise.withResolvers<typeof FAR>().promise;
    expect(await gate.openLatest()).toBe(state);
  });
});
