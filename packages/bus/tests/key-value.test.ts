import { createLogger } from '@sluice/telemetry';
import { waitUntil } from '@sluice/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BusDisconnectedError,
  KeyValueConflictError,
  connectBus,
  type KeyValueEntry,
  type KeyValueStore,
  type KeyValueWatcher,
} from '../src/index.ts';
import { NatsProcess } from './nats-process.ts';

const logger = createLogger({ service: 'key-value-test', level: 'silent' });
const bytes = (text: string) => Buffer.from(text);

let nats: NatsProcess;
const connectTo = (server: NatsProcess, logTo = logger) =>
  connectBus({ servers: [server.address], name: 'store', logger: logTo });

beforeAll(async () => {
  nats = await NatsProcess.start();
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
});

/** A logger, and what was written to it. */
function keepLog() {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  return {
    loudLogger: createLogger({ service: 'key-value-test', level: 'info', destination }),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** A view kept by a watcher, with what it was told. */
function keepView() {
  const view = new Map<string, string>();
  const told = { caughtUp: [] as number[], resets: [] as number[] };
  const watcher: KeyValueWatcher = {
    onEntry: ({ key, value }) => {
      if (value === undefined) view.delete(key);
      else view.set(key, Buffer.from(value).toString('utf8'));
    },
    onCaughtUp: (sequence) => told.caughtUp.push(sequence),
    onReset: (epoch) => {
      view.clear();
      told.resets.push(epoch);
    },
  };
  return { view, told, watcher };
}

async function write(store: KeyValueStore, values: Record<string, string>): Promise<number> {
  let sequence = await store.lastSequence();
  for (const [key, value] of Object.entries(values)) {
    sequence = await store.put(key, bytes(value), { expectedLastSequence: sequence });
  }
  return sequence;
}

describe('the store', () => {
  it('keeps the last value of a key, whatever the key looks like', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'values', replicas: 1 });
    const sequence = await write(store, { 'model/a.b *': 'old', 'model/ü': 'other' });
    await store.put('model/a.b *', bytes('new'), { expectedLastSequence: sequence });
    expect(await store.get('model/a.b *')).toEqual({
      key: 'model/a.b *',
      value: new Uint8Array(bytes('new')),
      sequence: 3,
    });
    expect(await store.get('model/nothing')).toBeUndefined();
    expect(await store.lastSequence()).toBe(3);
    expect(await store.end()).toEqual({ epoch: store.epoch, sequence: 3 });
  });

  it('refuses a write when any key has changed since the sequence it names', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'conflicts', replicas: 1 });
    const first = await store.put('a', bytes('1'), { expectedLastSequence: 0 });
    await store.put('b', bytes('1'), { expectedLastSequence: first });
    const stale = { expectedLastSequence: first };
    await expect(store.put('a', bytes('2'), stale)).rejects.toThrow(KeyValueConflictError);
    await expect(store.delete('a', stale)).rejects.toThrow(KeyValueConflictError);
    expect((await store.get('a'))?.sequence).toBe(first);
    expect(await store.lastSequence()).toBe(2);
  });

  it('lets exactly one of several writers at once through', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'race', replicas: 1 });
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, (_, writer) =>
        store.put(`key-${writer}`, bytes('x'), { expectedLastSequence: 0 }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.lastSequence()).toBe(1);
  });

  it('remembers that a key was deleted', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'deletes', replicas: 1 });
    const written = await write(store, { gone: 'x' });
    const sequence = await store.delete('gone', { expectedLastSequence: written });
    expect(await store.get('gone')).toEqual({ key: 'gone', value: undefined, sequence });
  });

  it('gives the changes of a range that are still kept, in order', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'history', replicas: 1, history: 2 });
    let sequence = 0;
    for (const value of ['1', '2', '3']) {
      sequence = await store.put('a', bytes(value), { expectedLastSequence: sequence });
      sequence = await store.put('b', bytes(value), { expectedLastSequence: sequence });
    }
    await store.delete('b', { expectedLastSequence: sequence });
    const told = (entries: KeyValueEntry[]) =>
      entries.map(({ key, value, sequence }) => {
        const text = value === undefined ? 'deleted' : Buffer.from(value).toString('utf8');
        return `${sequence} ${key} ${text}`;
      });
    expect(told(await store.changes({ from: 1, to: 7 }))).toEqual([
      '3 a 2',
      '5 a 3',
      '6 b 3',
      '7 b deleted',
    ]);
    expect(told(await store.changes({ from: 4, to: 6 }))).toEqual(['5 a 3', '6 b 3']);
    expect(await store.changes({ from: 1, to: 2 })).toEqual([]);
    expect(await store.changes({ from: 8, to: 9 })).toEqual([]);
  });

  it('is the same store for everyone who opens it', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'shared', replicas: 1 });
    const again = await bus.openKeyValue({ bucket: 'shared', replicas: 1 });
    expect(again.epoch).toBe(store.epoch);
    expect(Math.abs(Date.now() - store.epoch)).toBeLessThan(60_000);
  });
});

describe('opening the store', () => {
  it('waits until JetStream is ready, and says so once', async () => {
    await using own = await NatsProcess.start({ jetStream: false });
    const { lines, loudLogger } = keepLog();
    await using bus = await connectTo(own, loudLogger);
    // Stands for a server of a cluster that has not elected its leader.
    await using leaderless = await connectTo(own);
    const error = { code: 503, err_code: 10_008, description: 'no leader' };
    let refusals = 0;
    leaderless.subscribe('$JS.API.>', (request) => {
      refusals += 1;
      request.respond(bytes(JSON.stringify({ error })));
    });
    await leaderless.flush();
    const opening = bus.openKeyValue({ bucket: 'patient', replicas: 1 });
    await waitUntil(() => refusals >= 3, { what: 'some attempts' });
    expect(lines().filter(({ bucket }) => bucket === 'patient')).toMatchObject([
      { level: 'warn', reason: 'no leader', msg: 'waiting for JetStream to open the bucket' },
    ]);
    await leaderless[Symbol.asyncDispose]();
    await waitUntil(() => lines().some(({ reason }) => reason === 'jetstream is not enabled'), {
      what: 'an attempt that nobody answers',
    });
    await own.kill();
    await own.start();
    expect(await (await opening).lastSequence()).toBe(0);
  });

  it('is given up when it can never succeed, and with the connection', async () => {
    await using bus = await connectTo(nats);
    await expect(bus.openKeyValue({ bucket: 'triple', replicas: 3 })).rejects.toThrow(/replicas/);
    await using own = await NatsProcess.start({ jetStream: false });
    const other = await connectTo(own);
    const ending = other
      .openKeyValue({ bucket: 'late', replicas: 1 })
      .catch((error: unknown) => error);
    await other[Symbol.asyncDispose]();
    expect(await ending).toBeInstanceOf(Error);
  });
});

describe('a watch', () => {
  it('is told the present values, then that it has them all, then each change', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'watched', replicas: 1 });
    const values = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`key/${n}`, `${n}`]));
    let sequence = await write(store, values);
    sequence = await store.delete('key/0', { expectedLastSequence: sequence });
    const { view, told, watcher } = keepView();
    await using watch = await store.watch(watcher);
    expect(view.size).toBe(699);
    expect(told.caughtUp).toEqual([sequence]);
    expect(watch.live).toBe(true);

    sequence = await store.delete('key/1', { expectedLastSequence: sequence });
    sequence = await store.put('key/2', bytes('changed'), { expectedLastSequence: sequence });
    await waitUntil(() => told.caughtUp.at(-1) === sequence, { what: 'the changes' });
    expect(view.has('key/1')).toBe(false);
    expect(view.get('key/2')).toBe('changed');
  });

  it('is told only the last change of each key, whatever the store keeps', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'lasts', replicas: 1, history: 10 });
    let sequence = 0;
    for (const value of ['1', '2', '3']) sequence = await write(store, { a: value, b: value });
    const heard: number[] = [];
    const { told, watcher } = keepView();
    await using _watch = await store.watch({
      ...watcher,
      onEntry: (entry) => heard.push(entry.sequence),
    });
    expect(heard).toEqual([5, 6]);
    expect(told.caughtUp).toEqual([sequence]);
  });

  it('of an empty store has everything at once', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'empty', replicas: 1 });
    const { told, watcher } = keepView();
    await using watch = await store.watch(watcher);
    expect(watch.live).toBe(true);
    expect(told.caughtUp).toEqual([0]);
  });

  it('survives a restart of the server and misses no change made before it was back', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'survivor', replicas: 1 });
    await write(store, { before: 'x' });
    const { view, told, watcher } = keepView();
    await using watch = await store.watch(watcher);

    await own.kill();
    await waitUntil(() => !watch.live, { what: 'the watch to know' });
    await expect(store.put('a', bytes('x'), { expectedLastSequence: 1 })).rejects.toThrow(
      BusDisconnectedError,
    );
    await own.start();
    await using writer = await connectTo(own);
    const sequence = await write(await writer.openKeyValue({ bucket: 'survivor', replicas: 1 }), {
      meanwhile: 'y',
    });
    await waitUntil(() => watch.live && told.caughtUp.at(-1) === sequence, {
      what: 'the watch to be live again',
    });
    expect(Object.fromEntries(view)).toEqual({ before: 'x', meanwhile: 'y' });
    expect(told.resets).toEqual([]);
  });

  it('starts over, and says so, when the store was made anew', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'anew', replicas: 1 });
    const epoch = store.epoch;
    await write(store, { old: 'x' });
    const { view, told, watcher } = keepView();
    await using watch = await store.watch(watcher);

    await own.kill();
    await own.forgetData();
    await own.start();
    await using another = await connectTo(own);
    await another.openKeyValue({ bucket: 'anew', replicas: 1 });
    await waitUntil(() => told.resets.length === 1 && watch.live, { what: 'the new store' });
    expect(store.epoch).toBeGreaterThan(epoch);
    expect(told.resets).toEqual([store.epoch]);
    await write(store, { fresh: 'y' });
    await waitUntil(() => view.size > 0, { what: 'the new value' });
    expect(Object.fromEntries(view)).toEqual({ fresh: 'y' });
  });

  it('waits for a store that is gone, says so once, and goes on when it is restored', async () => {
    await using own = await NatsProcess.start();
    const { lines, loudLogger } = keepLog();
    await using bus = await connectTo(own, loudLogger);
    const store = await bus.openKeyValue({ bucket: 'restored', replicas: 1 });
    await write(store, { kept: 'x' });
    const { view, told, watcher } = keepView();
    await using watch = await store.watch(watcher);

    await own.kill();
    await own.saveData();
    await own.forgetData();
    await own.start();
    await using observer = await connectTo(own);
    let searches = 0;
    observer.subscribe('$JS.API.STREAM.INFO.KV_restored', () => (searches += 1));
    await waitUntil(() => searches >= 3, { what: 'the watch to look for the store' });
    expect(watch.live).toBe(false);
    expect(Object.fromEntries(view)).toEqual({ kept: 'x' });
    const toldOfTheBucket = () =>
      lines()
        .filter(({ bucket }) => bucket === 'restored')
        .map(({ level, msg }) => `${String(level)}: ${String(msg)}`);
    const gone =
      'error: the bucket is gone: restore it, or restart this service to begin with an empty one';
    expect(toldOfTheBucket()).toEqual([gone]);

    await own.kill();
    await own.restoreData();
    await own.start();
    await waitUntil(() => watch.live, { what: 'the restored store' });
    expect(toldOfTheBucket()).toEqual([gone, 'info: the bucket is back']);
    const sequence = await write(store, { next: 'y' });
    await waitUntil(() => told.caughtUp.at(-1) === sequence, { what: 'the next change' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'x', next: 'y' });
    expect(told.resets).toEqual([]);
  });

  it('starts over when the store has lost its last changes', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'rollback', replicas: 1 });
    await write(store, { kept: 'x' });
    await own.kill();
    await own.saveData();
    await own.start();
    await waitUntil(() => bus.connected, { what: 'the server' });
    const { view, told, watcher } = keepView();
    await using watch = await store.watch(watcher);
    await write(store, { lost: 'y', gone: 'z' });
    await waitUntil(() => view.size === 3, { what: 'the changes' });

    await own.kill();
    await own.restoreData();
    await own.start();
    await waitUntil(() => told.resets.length === 1 && watch.live, { what: 'the older store' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'x' });
    // Its number was seen before, under another meaning.
    await write(store, { other: 'w' });
    await waitUntil(() => view.size === 2, { what: 'the next change' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'x', other: 'w' });
  });
});
