import { waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BusDisconnectedError } from '../src/index.ts';
import { startCountingProxy } from './counting-proxy.ts';
import {
  answerWithoutLeader,
  bytes,
  connectTo,
  deleteKey,
  eraseKey,
  keepLog,
  keepView,
  write,
} from './key-value-fixture.ts';
import { NatsProcess } from './nats-process.ts';

let nats: NatsProcess;
beforeAll(async () => {
  nats = await NatsProcess.start();
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
});

describe('a watch', () => {
  it('receives the current values, then the end of these, then each change', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'watched', replicas: 1 });
    const values = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`key/${n}`, `${n}`]));
    let sequence = await write(store, values);
    sequence = await deleteKey(bus, 'watched', 'key/0');
    const { view, calls, watcher } = keepView();
    await using watch = await store.watch(watcher);
    expect(view.size).toBe(699);
    expect(calls.caughtUp).toEqual([sequence]);
    expect(watch.live).toBe(true);

    sequence = await deleteKey(bus, 'watched', 'key/1');
    sequence = await store.put('key/2', bytes('changed'), { expectedLastSequence: sequence });
    await waitUntil(() => calls.caughtUp.at(-1) === sequence, { what: 'the changes' });
    expect(view.has('key/1')).toBe(false);
    expect(view.get('key/2')).toBe('changed');
  });

  it('receives only the last change of each key, whatever the store keeps', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'lasts', replicas: 1, history: 10 });
    let sequence = 0;
    for (const value of ['1', '2', '3']) sequence = await write(store, { a: value, b: value });
    const heard: number[] = [];
    const { calls, watcher } = keepView();
    await using _watch = await store.watch({
      ...watcher,
      onEntry: (entry) => heard.push(entry.sequence),
    });
    expect(heard).toEqual([5, 6]);
    expect(calls.caughtUp).toEqual([sequence]);
  });

  it('of an empty store is caught up at once', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'empty', replicas: 1 });
    const { calls, watcher } = keepView();
    await using watch = await store.watch(watcher);
    expect(watch.live).toBe(true);
    expect(calls.caughtUp).toEqual([0]);
  });

  it('reaches the end of a store whose last change other tools have removed', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'erased', replicas: 1 });
    const last = await write(store, { kept: '1', person: '2' });
    await eraseKey(bus, 'erased', 'person');
    const { view, calls, watcher } = keepView();
    await using _watch = await store.watch(watcher);
    expect([...view.keys()]).toEqual(['kept']);
    expect(calls.caughtUp).toEqual([last]);
    await store.put('next', bytes('3'), { expectedLastSequence: last });
    await waitUntil(() => view.has('next'), { what: 'the next change' });
  });

  it('misses nothing if its consumer does not have the last change yet', async () => {
    // Simulates a replica that has not caught up with its leader.
    const knowsLess = (said: Buffer) =>
      Buffer.from(said.toString('latin1').replace('"num_pending":1', '"num_pending":0'), 'latin1');
    await using proxy = await startCountingProxy(nats.port, { rewrite: knowsLess });
    await using writerBus = await connectTo(nats);
    const writer = await writerBus.openKeyValue({ bucket: 'lagging', replicas: 1 });
    await using bus = await connectTo(proxy);
    const store = await bus.openKeyValue({ bucket: 'lagging', replicas: 1 });
    const { view, calls, watcher } = keepView();
    await using watch = await store.watch(watcher);

    proxy.cut();
    await waitUntil(() => !watch.live, { what: 'the watch to know' });
    const last = await write(writer, { meanwhile: 'x' });
    await waitUntil(() => calls.caughtUp.at(-1) === last, { what: 'the end of the store' });
    expect(view.get('meanwhile')).toBe('x');
  });

  it(
    'is not trusted while only a replica without a leader speaks',
    { timeout: 40_000 },
    async () => {
      const leaderless = { now: false };
      const silence = (said: Buffer) => {
        if (!leaderless.now) return said;
        const text = said.toString('latin1');
        return text.includes('stream_info_response') ? Buffer.alloc(0) : said;
      };
      await using proxy = await startCountingProxy(nats.port, { rewrite: silence });
      await using bus = await connectTo(proxy);
      const store = await bus.openKeyValue({ bucket: 'headless', replicas: 1 });
      await using watch = await store.watch(keepView().watcher);
      leaderless.now = true;
      await waitUntil(() => !watch.live, { what: 'the doubt', timeoutMs: 30_000 });
      leaderless.now = false;
      await waitUntil(() => watch.live, { what: 'the leader' });
      expect((await store.end()).sequence).toBe(0);
    },
  );

  it('survives a restart of the server and misses no change made before it was back', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'survivor', replicas: 1 });
    await write(store, { before: 'x' });
    const { view, calls, watcher } = keepView();
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
    await waitUntil(() => watch.live && calls.caughtUp.at(-1) === sequence, {
      what: 'the watch to be live again',
    });
    expect(Object.fromEntries(view)).toEqual({ before: 'x', meanwhile: 'y' });
    expect(calls.resets).toEqual([]);
  });

  it('starts over and reports a reset when the store was created again', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'anew', replicas: 1 });
    const epoch = store.epoch;
    await write(store, { old: 'x' });
    const { view, calls, watcher } = keepView();
    await using watch = await store.watch(watcher);

    await own.kill();
    await own.forgetData();
    await own.start();
    await using another = await connectTo(own);
    await another.openKeyValue({ bucket: 'anew', replicas: 1 });
    await waitUntil(() => calls.resets.length === 1 && watch.live, { what: 'the new store' });
    expect(store.epoch).toBeGreaterThan(epoch);
    expect(calls.resets).toEqual([store.epoch]);
    await write(store, { fresh: 'y' });
    await waitUntil(() => view.size > 0, { what: 'the new value' });
    expect(Object.fromEntries(view)).toEqual({ fresh: 'y' });
  });

  it('waits for a missing store, logs that once, and continues when it is restored', async () => {
    await using own = await NatsProcess.start();
    const { lines, loudLogger } = keepLog();
    await using bus = await connectTo(own, loudLogger);
    const store = await bus.openKeyValue({ bucket: 'restored', replicas: 1 });
    await write(store, { kept: 'x' });
    const { view, calls, watcher } = keepView();
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
      'error: the bucket is missing: restore it, or restart this service to begin with an empty one';
    expect(toldOfTheBucket()).toEqual([gone]);

    await own.kill();
    await own.restoreData();
    await own.start();
    await waitUntil(() => watch.live, { what: 'the restored store' });
    expect(toldOfTheBucket()).toEqual([gone, 'info: the bucket exists again']);
    const sequence = await write(store, { next: 'y' });
    await waitUntil(() => calls.caughtUp.at(-1) === sequence, { what: 'the next change' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'x', next: 'y' });
    expect(calls.resets).toEqual([]);
  });

  it('logs once why it was interrupted, and that it continues', async () => {
    await using own = await NatsProcess.start();
    const { lines, loudLogger } = keepLog();
    await using bus = await connectTo(own, loudLogger);
    const store = await bus.openKeyValue({ bucket: 'interrupted', replicas: 1 });
    await using watch = await store.watch(keepView().watcher);

    await own.kill();
    await own.start({ jetStream: false });
    // Simulates a server of a cluster without a leader.
    await using leaderless = await connectTo(own);
    const refusals = answerWithoutLeader(leaderless);
    await waitUntil(() => refusals() >= 3, { what: 'the watch to look for the store' });
    const toldOfTheStream = () => lines().filter(({ stream }) => stream === 'KV_interrupted');
    const reasons = toldOfTheStream().map(({ reason }) => reason);
    expect(reasons).toEqual([...new Set(reasons)]);
    expect(reasons).toContain('no leader');

    await own.kill();
    await own.start();
    await waitUntil(() => watch.live, { what: 'the store' });
    expect(toldOfTheStream().at(-1)).toMatchObject({
      level: 'info',
      msg: 'the watch of a store continues',
    });
  });
});
