import { beforeEach, describe, expect, it } from 'vitest';
import { fill, model, plan } from '../../tests/example-documents.ts';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { readEnvelope } from '../model/change-envelope.ts';
import type { WriteOutcome } from '../model/resource-store.ts';
import { ChangeWriter, type ChangeSummary } from './change-writer.ts';
import { planCreate, planDelete, planUpdate, parseDocument } from './manage-resources.ts';

let store: MemoryResourceStore;
let changed: ChangeSummary[];
let writer: ChangeWriter;

beforeEach(() => {
  store = new MemoryResourceStore();
  changed = [];
  writer = new ChangeWriter({
    state: store.state,
    store,
    wallClock: () => 4_000,
    onChanged: (change) => changed.push(change),
    timeoutMs: 200,
  });
});

const another = (id: string) => parseDocument('models', JSON.stringify({ ...model, id }));
const lastEnvelope = () => readEnvelope(store.entries.at(-1)?.value ?? new Uint8Array());
const unavailable = (message: string): unknown =>
  expect.objectContaining({ code: 'unavailable', message });

describe('a change', () => {
  it('is stored with its author, its time and the document before it', async () => {
    fill(store);
    const document = parseDocument('plans', JSON.stringify({ ...plan, models: [] }));
    const reference = { kind: 'plans', id: plan.id } as const;
    const before = store.state.get('plans', plan.id)?.document;
    const position = await writer.change('ada', planUpdate(reference, document));
    expect(position).toEqual({ epoch: EPOCH, sequence: 7 });
    expect(lastEnvelope()).toMatchObject({
      by: 'ada',
      at_ms: 4_000,
      action: 'update',
      before,
      document,
    });
    expect(changed).toEqual([
      { by: 'ada', kind: 'plans', id: plan.id, action: 'update', position },
    ]);
  });

  it('that changes nothing is not stored and not announced', async () => {
    fill(store);
    const reference = { kind: 'plans', id: plan.id } as const;
    const same = planUpdate(reference, parseDocument('plans', JSON.stringify(plan)));
    expect(await writer.change('ada', same)).toEqual({ epoch: EPOCH, sequence: 6 });
    expect(store.entries).toHaveLength(6);
    expect(changed).toEqual([]);
  });

  it('that the store refuses is rejected with the reason', async () => {
    store.interceptWrite = () => ({ outcome: 'refused', reason: 'no room' });
    await expect(writer.change('ada', planCreate('models', another('new')))).rejects.toMatchObject({
      code: 'forbidden_by_state',
      message: 'the store takes no changes (no room); nothing was changed',
    });
    expect(changed).toEqual([]);
  });

  it('is planned again on the new state after a conflict', async () => {
    fill(store);
    let intercepted = false;
    store.interceptWrite = () => {
      if (intercepted) return undefined;
      intercepted = true;
      store.put('models', { ...model, id: 'same' });
      return undefined;
    };
    await expect(writer.change('ada', planCreate('models', another('same')))).rejects.toThrow(
      'model same exists already',
    );
    expect(store.entries).toHaveLength(7);
  });

  it('never deletes a plan that another change has begun to use', async () => {
    store.put('plans', { ...plan, id: 'spare' });
    let intercepted = false;
    store.interceptWrite = () => {
      if (!intercepted) store.put('organizations', { id: 'fast', plan: 'spare' });
      intercepted = true;
      return undefined;
    };
    const deletion = planDelete({ kind: 'plans', id: 'spare' });
    await expect(writer.change('ada', deletion)).rejects.toThrow(
      'plan spare is still in use: it is the plan of organization fast',
    );
  });

  it('waits after a conflict until its replica has received the other change', async () => {
    const { state } = store;
    // The change of another writer is stored, but this replica has not received it yet.
    const apply = state.apply.bind(state);
    state.apply = () => undefined;
    store.put('plans', plan);
    state.apply = apply;
    const writing = writer.change('ada', planCreate('models', another('late')));
    setImmediate(() => apply(store.entries[0] ?? { name: '', value: undefined, sequence: 0 }));
    expect(await writing).toEqual({ epoch: EPOCH, sequence: 2 });
  });

  describe('that is impossible or already made in the state of this replica', () => {
    /** Stored by another replica; this one receives it a moment later. */
    function changeElsewhere(document: object): void {
      const { state } = store;
      const apply = state.apply.bind(state);
      state.apply = () => undefined;
      store.put('plans', document);
      state.apply = apply;
      setImmediate(() =>
        apply(store.entries.at(-1) ?? { name: '', value: undefined, sequence: 0 }),
      );
    }
    const reference = { kind: 'plans', id: plan.id } as const;

    it('is planned again on a change that another replica has made', async () => {
      changeElsewhere(plan);
      const document = parseDocument('plans', JSON.stringify({ ...plan, models: [] }));
      const position = await writer.change('ada', planUpdate(reference, document));
      expect(position.sequence).toBe(2);
    });

    it('is made if another replica has reverted it', async () => {
      fill(store);
      changeElsewhere({ ...plan, models: [] });
      const document = parseDocument('plans', JSON.stringify(plan));
      const position = await writer.change('ada', planUpdate(reference, document));
      expect(position.sequence).toBe(8);
    });
  });

  it('is announced when its replica has received it', async () => {
    const { state } = store;
    const apply = state.apply.bind(state);
    state.apply = (entry) => void setImmediate(() => apply(entry));
    const known: boolean[] = [];
    const announcing = new ChangeWriter({
      state,
      store,
      wallClock: () => 4_000,
      onChanged: ({ id }) => known.push(state.get('models', id) !== undefined),
      timeoutMs: 200,
    });
    await announcing.change('ada', planCreate('models', another('late')));
    expect(known).toEqual([true]);
  });

  it('fails if its replica does not receive it in time', async () => {
    store.interceptWrite = () => ({ outcome: 'conflict' });
    await expect(writer.change('ada', planCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store cannot be reached; nothing was changed'),
    );
  });

  it('is made as soon as an unreachable store is reachable again', async () => {
    let tries = 0;
    store.interceptWrite = () => {
      tries += 1;
      return tries === 1 ? { outcome: 'unreachable' } : undefined;
    };
    expect((await writer.change('ada', planCreate('models', another('m')))).sequence).toBe(1);
    expect(tries).toBe(2);
  });

  it('is refused if the store cannot be reached in time', async () => {
    store.interceptWrite = () => ({ outcome: 'unreachable' });
    await expect(writer.change('ada', planCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store cannot be reached; nothing was changed'),
    );
  });

  it('is made once if it was stored and its acknowledgement was lost', async () => {
    let lost = false;
    store.interceptWrite = (write): WriteOutcome | undefined => {
      if (lost) return undefined;
      lost = true;
      write();
      return { outcome: 'unknown' };
    };
    const position = await writer.change('ada', planCreate('models', another('once')));
    expect(position.sequence).toBe(1);
    expect(store.entries).toHaveLength(1);
    expect(changed).toMatchObject([{ kind: 'models', id: 'once', action: 'create', position }]);
  });

  it('is made once if the write itself was lost', async () => {
    let lost = false;
    store.interceptWrite = () => {
      if (lost) return undefined;
      lost = true;
      return { outcome: 'unknown' };
    };
    await writer.change('ada', planCreate('models', another('once')));
    expect(store.entries).toHaveLength(1);
  });

  it('is made once if the write arrives late, during the retry', async () => {
    let tries = 0;
    let late: (() => WriteOutcome) | undefined;
    store.interceptWrite = (write) => {
      tries += 1;
      if (tries === 1) {
        late = write;
        return { outcome: 'unknown' };
      }
      if (tries === 2) late?.();
      return undefined;
    };
    await writer.change('ada', planCreate('models', another('once')));
    expect(store.entries).toHaveLength(1);
    expect(changed).toHaveLength(1);
  });

  it('is made once if the store is restored from a backup between two lost acknowledgements', async () => {
    fill(store);
    let tries = 0;
    store.interceptWrite = (write) => {
      tries += 1;
      if (tries > 2) return undefined;
      if (tries === 1) store.restore(4);
      else write();
      return { outcome: 'unknown' };
    };
    const position = await writer.change('ada', planCreate('models', another('once')));
    expect(position).toEqual({ epoch: EPOCH + 1, sequence: 5 });
    expect(store.entries).toHaveLength(5);
    expect(changed).toHaveLength(1);
  });

  it('is not confused with the change of another writer at its position', async () => {
    let lost = false;
    store.interceptWrite = () => {
      if (lost) return undefined;
      lost = true;
      store.put('models', { ...model, id: 'foreign' });
      return { outcome: 'unknown' };
    };
    const position = await writer.change('ada', planCreate('models', another('own')));
    expect(position.sequence).toBe(2);
    expect(store.state.get('models', 'own')?.sequence).toBe(2);
    expect(changed).toMatchObject([{ id: 'own', position }]);
  });

  it('is searched for again if more changes were received during the search', async () => {
    let lost = false;
    store.interceptWrite = () => {
      if (lost) return undefined;
      lost = true;
      store.put('models', { ...model, id: 'foreign' });
      return { outcome: 'unknown' };
    };
    const history = store.history.bind(store);
    let looks = 0;
    store.history = (from, to) => {
      looks += 1;
      if (looks === 1) store.put('models', { ...model, id: 'later' });
      return history(from, to);
    };
    expect(await writer.change('ada', planCreate('models', another('own')))).toEqual({
      epoch: EPOCH,
      sequence: 3,
    });
    expect(looks).toBe(2);
  });

  it('has an unknown outcome if the store refuses writes after a lost acknowledgement', async () => {
    let lost = false;
    store.interceptWrite = () => {
      if (lost) return { outcome: 'refused', reason: 'no room' };
      lost = true;
      return { outcome: 'unknown' };
    };
    await expect(writer.change('ada', planCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store does not answer; whether the change was made is unknown'),
    );
  });

  it('has an unknown outcome if the store does not answer', async () => {
    store.interceptWrite = () => {
      // Takes as long as the timeout of a real write.
      const until = performance.now() + 120;
      while (performance.now() < until);
      return { outcome: 'unknown' };
    };
    await expect(writer.change('ada', planCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store does not answer; whether the change was made is unknown'),
    );
  });

  it('waits for the previous change, so that both are planned on the current state', async () => {
    const changes = Array.from({ length: 20 }, (_, number) =>
      writer.change('ada', planCreate('models', another(`m${number}`))),
    );
    const positions = await Promise.all(changes);
    expect(positions.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 20 }, (_, number) => number + 1),
    );
  });

  it('does not fail because the previous change failed', async () => {
    const failing = writer.change('ada', () => {
      throw new Error('a bug');
    });
    const fine = writer.change('ada', planCreate('models', another('m')));
    await expect(failing).rejects.toThrow('a bug');
    expect((await fine).sequence).toBe(1);
  });
});
