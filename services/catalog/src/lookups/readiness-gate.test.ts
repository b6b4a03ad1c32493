import { describe, expect, it } from 'vitest';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { AnswerGate } from './answer-gate.ts';
import { CatalogState } from './catalog-state.ts';

const FAR = { epoch: EPOCH + 1, sequence: 1_000 };

function gateOf(state: CatalogState) {
  const surroundings = { live: true, nowMs: 0, end: async () => FAR };
  const gate = new AnswerGate({
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

describe('a question', () => {
  it('waits for a position that it names, and is refused when that does not come', async () => {
    const { state } = new MemoryResourceStore();
    const { gate } = gateOf(state);
    expect(await gate.open()).toBe(state);
    await expect(gate.open({ epoch: EPOCH, sequence: 1 })).rejects.toEqual(unavailable);
    state.apply({ name: 'plans/x', value: undefined, sequence: 1 });
    expect(await gate.open({ epoch: EPOCH, sequence: 1 })).toBe(state);
  });

  it('is not held up for a position that the store itself no longer has', async () => {
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

  it('is answered from memory for a while after changes are no longer heard of', async () => {
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

describe('a question to a replica that stood still', () => {
  it('is not answered from what it knew before, until it must have noticed what it lost meanwhile', async () => {
    const { gate, surroundings, pass } = gateOf(new MemoryResourceStore().state);
    surroundings.nowMs = 40_000;
    // Its connection may be gone, which nobody has told it yet.
    await expect(gate.open()).rejects.toEqual(unavailable);
    pass(6_999);
    await expect(gate.open()).rejects.toEqual(unavailable);
    pass(1);
    await gate.open();
  });

  it('is not answered either once it hears nothing, until it hears again', async () => {
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

  it('is answered as ever by one that is paused again and again, as long as it hears', async () => {
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

  it('is not answered in the short moments between long pauses, in which it notices nothing', async () => {
    const { gate, surroundings } = gateOf(new MemoryResourceStore().state);
    surroundings.nowMs += 20_000;
    await gate.open();
    for (let pause = 0; pause < 20; pause += 1) {
      surroundings.nowMs += 20_000;
      await expect(gate.open()).rejects.toEqual(unavailable);
    }
  });

  it('is answered as ever after a pause that is shorter than its patience', async () => {
    const { gate, surroundings } = gateOf(new MemoryResourceStore().state);
    gate.notice();
    surroundings.nowMs = 29_000;
    expect(await gate.open()).toBeInstanceOf(CatalogState);
  });
});

describe('a question that goes on from the last change', () => {
  it('waits for it, and is refused when it does not come', async () => {
    const { state } = new MemoryResourceStore();
    const { gate, surroundings } = gateOf(state);
    surroundings.end = async () => ({ epoch: EPOCH, sequence: 1 });
    await expect(gate.openLatest()).rejects.toEqual(unavailable);
    state.apply({ name: 'plans/x', value: undefined, sequence: 1 });
    expect(await gate.openLatest()).toBe(state);
  });

  it('is answered with what is known where the store cannot be asked, or does not answer', async () => {
    const { state } = new MemoryResourceStore();
    const { gate, surroundings } = gateOf(state);
    surroundings.end = () => Promise.reject(new Error('not reached'));
    expect(await gate.openLatest()).toBe(state);
    surroundings.end = () => Promise.withResolvers<typeof FAR>().promise;
    expect(await gate.openLatest()).toBe(state);
  });
});
