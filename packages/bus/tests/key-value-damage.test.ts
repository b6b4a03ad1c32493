import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyValueDamagedError, type Bus } from '../src/index.ts';
import { findDamaged } from '../src/jetstream-key-value-damage.ts';
import { bytes, connectTo, eraseKey, keepLog, keepView, write } from './key-value-fixture.ts';
import { NatsProcess } from './nats-process.ts';

const SECRET = 'the-secret-of-plans';

describe('a store with a record that NATS cannot read', () => {
  let nats: NatsProcess;
  beforeEach(async () => {
    nats = await NatsProcess.start();
    {
      await using bus = await connectTo(nats);
      const store = await bus.openKeyValue({ bucket: 'damaged', replicas: 1, history: 4 });
      await write(store, { 'plans/free': 'old', 'models/a': 'a' });
      await write(store, { 'plans/free': SECRET, 'models/b': 'b' });
    }
    await nats.terminate();
    await nats.damage(SECRET);
    await nats.start();
  });
  afterEach(async () => {
    await nats[Symbol.asyncDispose]();
  });

  const open = (bus: Bus, skipDamaged: boolean) =>
    bus.openKeyValue({ bucket: 'damaged', replicas: 1, history: 4, skipDamaged });

  it('is not watched, and the record is named by key and revision, without its content', async () => {
    const { loudLogger, lines } = keepLog();
    await using bus = await connectTo(nats, loudLogger);
    const store = await open(bus, false);
    const watching = store.watch(keepView().watcher);
    await expect(watching).rejects.toThrow(KeyValueDamagedError);
    await expect(watching).rejects.toMatchObject({
      records: { keys: ['plans/free'], revisions: [3] },
      message: 'NATS cannot read 1 of the records of the bucket damaged: plans/free (revision 3)',
    });
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: 'error', keys: ['plans/free'], revisions: [3] }),
    );
    expect(JSON.stringify(lines())).not.toContain('secret');
  });

  it('is watched without the damaged record if requested, until the key is written again', async () => {
    await using bus = await connectTo(nats);
    const store = await open(bus, true);
    const { view, watcher } = keepView();
    await using watch = await store.watch(watcher);
    expect(Object.fromEntries(view)).toEqual({ 'models/a': 'a', 'models/b': 'b' });
    expect(watch.skipped).toEqual(['plans/free']);
    expect(watch.live).toBe(true);
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    await using second = await store.watch({ ...watcher, onEntry: () => undefined });
    const onEntry = watcher.onEntry.bind(watcher);
    watcher.onEntry = (entry) => {
      onEntry(entry);
      if (entry.key === 'plans/free') resolve();
    };
    await store.put('plans/free', bytes('new'), { expectedLastSequence: 4 });
    await heard;
    expect(second.live).toBe(true);
    expect(view.get('plans/free')).toBe('new');
    expect(watch.skipped).toEqual([]);
  });
});

it('the record that was written last is named too', async () => {
  await using nats = await NatsProcess.start();
  {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'last', replicas: 1 });
    await write(store, { 'models/a': 'a', 'plans/free': SECRET });
  }
  await nats.terminate();
  await nats.damage(SECRET);
  await nats.start();
  await using bus = await connectTo(nats);
  const store = await bus.openKeyValue({ bucket: 'last', replicas: 1 });
  await expect(store.watch(keepView().watcher)).rejects.toMatchObject({
    records: { keys: ['plans/free'], revisions: [2] },
  });
});

it('a key that another tool purges during the search is not damaged', async () => {
  await using nats = await NatsProcess.start();
  await using bus = await connectTo(nats);
  const store = await bus.openKeyValue({ bucket: 'purged', replicas: 1 });
  await write(store, { kept: 'a', purged: 'b' });
  const connection = await connect({ servers: nats.address });
  const { streams } = await jetstreamManager(connection);
  const damaged = await findDamaged(
    {
      streams: {
        getMessage: streams.getMessage.bind(streams),
        info: async (...query: Parameters<typeof streams.info>) => {
          const info = await streams.info(...query);
          await eraseKey(bus, 'purged', 'purged');
          return info;
        },
      },
    },
    {
      streamName: 'KV_purged',
      subjects: '$KV.purged.>',
      received: new Map([['$KV.purged.kept', 1]]),
      keyOf: (subject) => subject,
    },
  );
  expect(damaged).toEqual({ keys: [], revisions: [] });
  await connection.close();
});
