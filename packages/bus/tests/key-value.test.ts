import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyValueConflictError, KeyValueRefusedError, type KeyValueEntry } from '../src/index.ts';
import {
  answerWithoutLeader,
  bytes,
  connectTo,
  deleteKey,
  keepLog,
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

const described = (entries: KeyValueEntry[]): string[] =>
  entries.map(({ key, value, sequence }) => {
    const text = value === undefined ? 'deleted' : Buffer.from(value).toString('utf8');
    return `${sequence} ${key} ${text}`;
  });

describe('the store', () => {
  it('keeps the last value of a key, whatever the key looks like', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'values', replicas: 1 });
    const sequence = await write(store, { 'model/a.b *': 'old', 'model/ü': 'other' });
    await store.put('model/a.b *', bytes('new'), { expectedLastSequence: sequence });
    expect(described(await store.changes({ from: 1, to: 3 }))).toEqual([
      '2 model/ü other',
      '3 model/a.b * new',
    ]);
    expect(await store.end()).toEqual({ epoch: store.epoch, sequence: 3 });
  });

  it('refuses a write when any key has changed since the sequence it names', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'conflicts', replicas: 1 });
    const first = await store.put('a', bytes('1'), { expectedLastSequence: 0 });
    await store.put('b', bytes('1'), { expectedLastSequence: first });
    const stale = { expectedLastSequence: first };
    await expect(store.put('a', bytes('2'), stale)).rejects.toThrow(KeyValueConflictError);
    expect(described(await store.changes({ from: 1, to: 3 }))).toEqual(['1 a 1', '2 b 1']);
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
    expect((await store.end()).sequence).toBe(1);
  });

  it('remembers that a key was deleted', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'deletes', replicas: 1 });
    await write(store, { gone: 'x' });
    await deleteKey(bus, 'deletes', 'gone');
    expect(described(await store.changes({ from: 1, to: 2 }))).toEqual(['2 gone deleted']);
  });

  it('gives the changes of a range that are still kept, in order', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'history', replicas: 1, history: 2 });
    let sequence = 0;
    for (const value of ['1', '2', '3']) {
      sequence = await store.put('a', bytes(value), { expectedLastSequence: sequence });
      sequence = await store.put('b', bytes(value), { expectedLastSequence: sequence });
    }
    await deleteKey(bus, 'history', 'b');
    expect(described(await store.changes({ from: 1, to: 7 }))).toEqual([
      '3 a 2',
      '5 a 3',
      '6 b 3',
      '7 b deleted',
    ]);
    expect(described(await store.changes({ from: 4, to: 6 }))).toEqual(['5 a 3', '6 b 3']);
    expect(await store.changes({ from: 1, to: 2 })).toEqual([]);
    expect(await store.changes({ from: 8, to: 9 })).toEqual([]);
  });

  it('gives more changes than the server holds for one connection, and stays connected', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'large', replicas: 1, history: 64 });
    let disconnects = 0;
    bus.onDisconnect(() => (disconnects += 1));
    const value = Buffer.alloc(1_000_000);
    let sequence = 0;
    // Two keys, since at most 64 changes are kept for one key. Together they exceed the 64 MiB that a server buffers.
    for (let count = 0; count < 100; count += 1) {
      sequence = await store.put(`key${count % 2}`, value, { expectedLastSequence: sequence });
    }
    const changes = await store.changes({ from: 1, to: sequence });
    expect(changes.map((change) => change.sequence)).toEqual(changes.map((_, place) => place + 1));
    expect(changes.map((change) => change.value?.length)).toEqual(changes.map(() => value.length));
    expect(changes).toHaveLength(100);
    expect(disconnects).toBe(0);
  });

  it('is the same store for all clients that open it', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'shared', replicas: 1 });
    const again = await bus.openKeyValue({ bucket: 'shared', replicas: 1 });
    expect(again.epoch).toBe(store.epoch);
    expect(Math.abs(Date.now() - store.epoch)).toBeLessThan(60_000);
  });
});

describe('a store that is full', () => {
  it('rejects further writes with the reason, and keeps its data', async () => {
    await using bus = await connectTo(nats);
    const store = await bus.openKeyValue({ bucket: 'full', replicas: 1 });
    const sequence = await store.put('key', bytes('value'), { expectedLastSequence: 0 });
    const connection = await connect({ servers: [nats.address] });
    const manager = await jetstreamManager(connection);
    await manager.streams.update('KV_full', { max_bytes: 300 });
    await connection.close();
    const writing = store.put('more', bytes('x'.repeat(300)), { expectedLastSequence: sequence });
    await expect(writing).rejects.toThrow(KeyValueRefusedError);
    await expect(writing).rejects.toThrow('maximum bytes exceeded');
    expect((await store.end()).sequence).toBe(sequence);
  });
});

describe('opening the store', () => {
  it('waits until JetStream is ready, and logs that once', async () => {
    await using own = await NatsProcess.start({ jetStream: false });
    const { lines, loudLogger } = keepLog();
    await using bus = await connectTo(own, loudLogger);
    // Simulates a server of a cluster that has not elected a leader.
    await using leaderless = await connectTo(own);
    const refusals = answerWithoutLeader(leaderless);
    await leaderless.flush();
    const opening = bus.openKeyValue({ bucket: 'patient', replicas: 1 });
    await waitUntil(() => refusals() >= 3, { what: 'some attempts' });
    expect(lines().filter(({ bucket }) => bucket === 'patient')).toMatchObject([
      { level: 'warn', reason: 'no leader', msg: 'waiting for JetStream to open the bucket' },
    ]);
    await leaderless[Symbol.asyncDispose]();
    await waitUntil(() => lines().some(({ reason }) => reason === 'jetstream is not enabled'), {
      what: 'an attempt that nobody answers',
    });
    await own.kill();
    await own.start();
    expect((await (await opening).end()).sequence).toBe(0);
  });

  it('adds no replicas to a store whose server is not in a cluster and would lose it', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'alone', replicas: 1 });
    await store.put('key', new TextEncoder().encode('value'), { expectedLastSequence: 0 });
    const opening = bus.openKeyValue({ bucket: 'alone', replicas: 3 });
    await expect(opening).rejects.toThrow(/3 replicas .* not in a cluster/);
    await own.kill();
    await own.start();
    const again = await bus.openKeyValue({ bucket: 'alone', replicas: 1 });
    expect((await again.end()).sequence).toBe(1);
    expect(again.epoch).toBe(store.epoch);
  });

  it('is given up if it can never succeed, or if the connection is closed', async () => {
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
