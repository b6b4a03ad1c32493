import { beforeEach, describe, expect, it } from 'vitest';
import { fill, model, plan } from '../../tests/example-documents.ts';
import { EPOCH, MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { readEnvelope } from './change-envelope.ts';
import { ChangeWriter, type ChangeSummary } from './change-writer.ts';
import { decideCreate, decideDelete, decideUpdate, parseDocument } from './manage-resources.ts';
import type { WriteOutcome } from './resource-store.ts';

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
    patienceMs: 200,
  });
});

const another = (id: string) => parseDocument('models', JSON.stringify({ ...model, id }));
const lastEnvelope = () => readEnvelope(store.entries.at(-1)?.value ?? new Uint8Array());
const unavailable = (message: string): unknown =>
  expect.objectContaining({ code: 'unavailable', message });

describe('a change', () => {
  it('is stored with who made it, when, and what was there before', async () => {
    fill(store);
    const document = parseDocument('plans', JSON.stringify({ ...plan, models: [] }));
    const reference = { kind: 'plans', id: plan.id } as const;
    const before = store.state.get('plans', plan.id)?.document;
    const position = await writer.change('ada', decideUpdate(reference, document));
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
    const same = decideUpdate(reference, parseDocument('plans', JSON.stringify(plan)));
    expect(await writer.change('ada', same)).toEqual({ epoch: EPOCH, sequence: 6 });
    expect(store.entries).toHaveLength(6);
    expect(changed).toEqual([]);
  });

  it('that the store does not take says why', async () => {
    store.meddle = () => ({ outcome: 'refused', reason: 'no room' });
    await expect(
      writer.change('ada', decideCreate('models', another('new'))),
    ).rejects.toMatchObject({
      code: 'forbidden_by_state',
      message: 'the store takes no changes (no room); nothing was changed',
    });
    expect(changed).toEqual([]);
  });

  it('is decided again when another came between, on what that one left', async () => {
    fill(store);
    let meddled = false;
    store.meddle = () => {
      if (meddled) return undefined;
      meddled = true;
      store.put('models', { ...model, id: 'same' });
      return undefined;
    };
    await expect(writer.change('ada', decideCreate('models', another('same')))).rejects.toThrow(
      'model same exists already',
    );
    expect(store.entries).toHaveLength(7);
  });

  it('never deletes a plan that somebody took into use meanwhile', async () => {
    store.put('plans', { ...plan, id: 'spare' });
    let meddled = false;
    store.meddle = () => {
      if (!meddled) store.put('organizations', { id: 'fast', plan: 'spare' });
      meddled = true;
      return undefined;
    };
    const deletion = decideDelete({ kind: 'plans', id: 'spare' });
    await expect(writer.change('ada', deletion)).rejects.toThrow(
      'plan spare is still in use: it is the plan of organization fast',
    );
  });

  it('waits for its own replica to hear of what outran it', async () => {
    const { state } = store;
    // Another writer's change is stored, but this replica has not heard of it yet.
    const apply = state.apply.bind(state);
    state.apply = () => undefined;
    store.put('plans', plan);
    state.apply = apply;
    const writing = writer.change('ada', decideCreate('models', another('late')));
    setImmediate(() => apply(store.entries[0] ?? { name: '', value: undefined, sequence: 0 }));
    expect(await writing).toEqual({ epoch: EPOCH, sequence: 2 });
  });

  describe('that this replica finds impossible, or made already', () => {
    /** Stored by another replica; this one hears of it a moment later. */
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

    it('is decided again on what another replica has made meanwhile', async () => {
      changeElsewhere(plan);
      const document = parseDocument('plans', JSON.stringify({ ...plan, models: [] }));
      const position = await writer.change('ada', decideUpdate(reference, document));
      expect(position.sequence).toBe(2);
    });

    it('is made when another replica has undone it meanwhile', async () => {
      fill(store);
      changeElsewhere({ ...plan, models: [] });
      const document = parseDocument('plans', JSON.stringify(plan));
      const position = await writer.change('ada', decideUpdate(reference, document));
      expect(position.sequence).toBe(8);
    });
  });

  it('is announced when its own replica has heard of it', async () => {
    const { state } = store;
    const apply = state.apply.bind(state);
    state.apply = (entry) => void setImmediate(() => apply(entry));
    const known: boolean[] = [];
    const announcing = new ChangeWriter({
      state,
      store,
      wallClock: () => 4_000,
      onChanged: ({ id }) => known.push(state.get('models', id) !== undefined),
      patienceMs: 200,
    });
    await announcing.change('ada', decideCreate('models', another('late')));
    expect(known).toEqual([true]);
  });

  it('gives up when its own replica does not hear of it in time', async () => {
    store.meddle = () => ({ outcome: 'outrun' });
    await expect(writer.change('ada', decideCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store cannot be reached; nothing was changed'),
    );
  });

  it('is made as soon as a store that could not be reached is back', async () => {
    let tries = 0;
    store.meddle = () => {
      tries += 1;
      return tries === 1 ? { outcome: 'unreachable' } : undefined;
    };
    expect((await writer.change('ada', decideCreate('models', another('m')))).sequence).toBe(1);
    expect(tries).toBe(2);
  });

  it('is refused when the store cannot be reached in time', async () => {
    store.meddle = () => ({ outcome: 'unreachable' });
    await expect(writer.change('ada', decideCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store cannot be reached; nothing was changed'),
    );
  });

  it('is made once when it was stored and its acknowledgement lost', async () => {
    let lost = false;
    store.meddle = (write): WriteOutcome | undefined => {
      if (lost) return undefined;
      lost = true;
      write();
      return { outcome: 'unknown' };
    };
    const position = await writer.change('ada', decideCreate('models', another('once')));
    expect(position.sequence).toBe(1);
    expect(store.entries).toHaveLength(1);
    expect(changed).toMatchObject([{ kind: 'models', id: 'once', action: 'create', position }]);
  });

  it('is made once when neither it nor its acknowledgement arrived', async () => {
    let lost = false;
    store.meddle = () => {
      if (lost) return undefined;
      lost = true;
      return { outcome: 'unknown' };
    };
    await writer.change('ada', decideCreate('models', another('once')));
    expect(store.entries).toHaveLength(1);
  });

  it('is made once when it arrives late, while it is being tried again', async () => {
    let tries = 0;
    let late: (() => WriteOutcome) | undefined;
    store.meddle = (write) => {
      tries += 1;
      if (tries === 1) {
        late = write;
        return { outcome: 'unknown' };
      }
      if (tries === 2) late?.();
      return undefined;
    };
    await writer.change('ada', decideCreate('models', another('once')));
    expect(store.entries).toHaveLength(1);
    expect(changed).toHaveLength(1);
  });

  it('is made once when the store went back in time between two lost acknowledgements', async () => {
    fill(store);
    let tries = 0;
    store.meddle = (write) => {
      tries += 1;
      if (tries > 2) return undefined;
      if (tries === 1) store.goBack(4);
      else write();
      return { outcome: 'unknown' };
    };
    const position = await writer.change('ada', decideCreate('models', another('once')));
    expect(position).toEqual({ epoch: EPOCH + 1, sequence: 5 });
    expect(store.entries).toHaveLength(5);
    expect(changed).toHaveLength(1);
  });

  it('is not taken for that of another which came in its place', async () => {
    let lost = false;
    store.meddle = () => {
      if (lost) return undefined;
      lost = true;
      store.put('models', { ...model, id: 'foreign' });
      return { outcome: 'unknown' };
    };
    const position = await writer.change('ada', decideCreate('models', another('own')));
    expect(position.sequence).toBe(2);
    expect(store.state.get('models', 'own')?.sequence).toBe(2);
    expect(changed).toMatchObject([{ id: 'own', position }]);
  });

  it('is looked for again where more has come while it was looked for', async () => {
    let lost = false;
    store.meddle = () => {
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
    expect(await writer.change('ada', decideCreate('models', another('own')))).toEqual({
      epoch: EPOCH,
      sequence: 3,
    });
    expect(looks).toBe(2);
  });

  it('is called unknown too when the store takes no more after a lost acknowledgement', async () => {
    let lost = false;
    store.meddle = () => {
      if (lost) return { outcome: 'refused', reason: 'no room' };
      lost = true;
      return { outcome: 'unknown' };
    };
    await expect(writer.change('ada', decideCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store does not answer; whether the change was made is unknown'),
    );
  });

  it('is called unknown when the store stays silent', async () => {
    store.meddle = () => {
      // What the deadline of a real write costs.
      const until = performance.now() + 120;
      while (performance.now() < until);
      return { outcome: 'unknown' };
    };
    await expect(writer.change('ada', decideCreate('models', another('m')))).rejects.toEqual(
      unavailable('the store does not answer; whether the change was made is unknown'),
    );
  });

  it('is made after the one before it, so that both are decided on the truth', async () => {
    const changes = Array.from({ length: 20 }, (_, number) =>
      writer.change('ada', decideCreate('models', another(`m${number}`))),
    );
    const positions = await Promise.all(changes);
    expect(positions.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 20 }, (_, number) => number + 1),
    );
  });

  it('does not suffer from the failure of the one before it', async () => {
    const failing = writer.change('ada', () => {
      throw new Error('a bug');
    });
    const fine = writer.change('ada', decideCreate('models', another('m')));
    await expect(failing).rejects.toThrow('a bug');
    expect((await fine).sequence).toBe(1);
  });
});
