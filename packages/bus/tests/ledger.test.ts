import { nanos } from '@nats-io/transport-node';
import { waitUntil } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import {
  idsIn,
  largeRecordOf,
  optionsOf,
  recordOf,
  streamOf,
  useLedgers,
} from './ledger-fixture.ts';

const { connectTo, inManager, lines } = useLedgers();

/** Blocks the event loop, so that the socket is not read. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('a ledger', () => {
  it('stores appended records in order', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('order'));
    await using ledger = bus.openLedger(optionsOf('order'));
    const ids = Array.from({ length: 3_000 }, (_, number) => `r${number}`);
    for (const id of ids) ledger.append(recordOf('order', id));
    expect(ledger.counts).toEqual({ pending: 3_000, stored: 0, lost: 0 });
    expect(await ledger.settled(10_000)).toBe(true);
    expect(ledger.counts).toEqual({ pending: 0, stored: 3_000, lost: 0 });
    expect(await idsIn(bus, 'order')).toEqual(ids);
  });

  it('stores the records of an organization in few messages, and those of two organizations in separate ones', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('together'));
    await using ledger = bus.openLedger(optionsOf('together'));
    for (let number = 0; number < 500; number += 1) {
      ledger.append(recordOf('together', `a${number}`, 'acme'));
      ledger.append(recordOf('together', `z${number}`, 'zeta'));
    }
    await ledger.settled(10_000);
    const { state } = await inManager((manager) => manager.streams.info('together-ledger'));
    expect(state.messages).toBe(2);
    const ids = await idsIn(bus, 'together', { subjects: 'together.ledger.*.zeta' });
    expect(ids).toEqual(Array.from({ length: 500 }, (_, number) => `z${number}`));
  });

  it('keeps the records of more organizations than may be on their way at once', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('many'));
    await using ledger = bus.openLedger(optionsOf('many'));
    const ids = Array.from({ length: 5_000 }, (_, number) => `r${number}`);
    for (const id of ids) ledger.append(recordOf('many', id, `organization-${id}`));
    expect(await ledger.settled(20_000)).toBe(true);
    expect(ledger.counts).toEqual({ pending: 0, stored: 5_000, lost: 0 });
    expect(await idsIn(bus, 'many')).toEqual(ids);
  });

  it('is read from a time on, and by subject', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('since'));
    await using ledger = bus.openLedger(optionsOf('since'));
    ledger.append(recordOf('since', 'old'));
    await ledger.settled(10_000);
    let storedAtMs = 0;
    const query = { stream: 'since-ledger', subjects: 'since.ledger.>', sinceMs: 0 };
    for await (const old of bus.readLedger(query)) ({ storedAtMs } = old);
    const sinceMs = Math.floor(storedAtMs) + 2;
    await waitUntil(() => Date.now() > sinceMs, { what: 'the next moment' });
    ledger.append(recordOf('since', 'new'));
    ledger.append(recordOf('since', 'other', 'zeta'));
    await ledger.settled(10_000);
    expect(await idsIn(bus, 'since', { sinceMs })).toEqual(['new', 'other']);
    expect(await idsIn(bus, 'since', { subjects: 'since.ledger.*.zeta' })).toEqual(['other']);
    expect(await idsIn(bus, 'since', { sinceMs: Date.now() + 60_000 })).toEqual([]);
  });

  it('is read whole by a reader that is slower than the server', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('much', { maxBytes: 500_000_000 }));
    await using ledger = bus.openLedger(optionsOf('much'));
    // Together more than the 64 MiB that a server buffers for one connection, in messages of the largest size.
    const filler = '漢'.repeat(6_000);
    const ids = Array.from({ length: 6_000 }, (_, number) => `r${number}`);
    for (const id of ids) ledger.append({ ...recordOf('much', id), record: { id, filler } });
    expect(await ledger.settled(30_000)).toBe(true);
    await using reader = await connectTo();
    const query = { stream: 'much-ledger', subjects: 'much.ledger.>', sinceMs: 0 };
    let read = 0;
    for await (const _record of reader.readLedger(query)) {
      if (read === 0) work(1_000);
      read += 1;
    }
    expect(read).toBe(ids.length);
  }, 60_000);

  it('is empty before it is created', async () => {
    await using bus = await connectTo();
    expect(await idsIn(bus, 'nowhere')).toEqual([]);
    expect(await bus.ledgerExtent('nowhere-ledger')).toEqual({
      exists: false,
      beginsAtMs: undefined,
      madeAtMs: undefined,
    });
  });

  it('reports where it begins after its oldest records were removed', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('begins'));
    await using ledger = bus.openLedger(optionsOf('begins'));
    for (const id of ['one', 'two']) {
      ledger.append(recordOf('begins', id));
      await ledger.settled(10_000);
    }
    const extent = async () => bus.ledgerExtent('begins-ledger');
    expect(await extent()).toMatchObject({ exists: true, beginsAtMs: undefined });
    await inManager((manager) => manager.streams.purge('begins-ledger', { keep: 1 }));
    const query = { stream: 'begins-ledger', subjects: 'begins.ledger.>', sinceMs: 0 };
    let storedAtMs = 0;
    for await (const left of bus.readLedger(query)) ({ storedAtMs } = left);
    const beginsAtMs = Math.floor(storedAtMs);
    expect(await extent()).toMatchObject({ exists: true, beginsAtMs });
    // When no record is left, the time of the last one is all that is known.
    await inManager((manager) => manager.streams.purge('begins-ledger'));
    expect(await extent()).toMatchObject({ exists: true, beginsAtMs });
  });

  it('is created once by many keepers, and gets the limits of the last one to start', async () => {
    await using bus = await connectTo();
    using keepers = new DisposableStack();
    const five = Array.from({ length: 5 }, () =>
      keepers.use(bus.keepLedgerStream(streamOf('bounds'))),
    );
    await waitUntil(() => five.every(({ state }) => state.exists), { what: 'all to know of it' });
    expect(five.map(({ state }) => state.fault)).toEqual(five.map(() => undefined));
    using _later = bus.keepLedgerStream(streamOf('bounds', { maxBytes: 1_000_000 }));
    const configOf = async () =>
      (await inManager((manager) => manager.streams.info('bounds-ledger'))).config;
    await waitUntil(async () => (await configOf()).max_bytes === 1_000_000, {
      what: 'the bounds of the later one',
    });
    expect(await configOf()).toMatchObject({ max_age: nanos(3_600_000), num_replicas: 1 });
  });

  it('corrects the limits of an existing stream with other subjects or ages', async () => {
    await using bus = await connectTo();
    await inManager((manager) =>
      manager.streams.add({
        name: 'taken-ledger',
        subjects: ['taken.ledger.>', 'taken.job.*', 'taken.delta.>'],
        max_msgs: 1,
        max_msgs_per_subject: 1,
      }),
    );
    using keeper = bus.keepLedgerStream(streamOf('taken'));
    await waitUntil(() => keeper.state.exists, { what: 'the stream to be taken over' });
    const { config } = await inManager((manager) => manager.streams.info('taken-ledger'));
    expect(config).toMatchObject({
      subjects: ['taken.ledger.>'],
      max_msgs: -1,
      max_msgs_per_subject: -1,
      max_bytes: 50_000_000,
    });
  });

  it('keeps its limits if a single server cannot hold that many replicas', async () => {
    await using bus = await connectTo();
    using keeper = bus.keepLedgerStream(streamOf('alone'));
    await waitUntil(() => keeper.state.exists, { what: 'the stream' });
    using thrice = bus.keepLedgerStream(streamOf('alone', { replicas: 3 }));
    await waitUntil(() => thrice.state.exists, { what: 'the stream to be found' });
    expect(thrice.state.fault).toBe('the server is not in a cluster');
    const { config } = await inManager((manager) => manager.streams.info('alone-ledger'));
    expect(config.num_replicas).toBe(1);
    expect(lines.filter((line) => line.includes('alone-ledger'))).toHaveLength(1);
  });

  it('is not created by a writer: records wait until a keeper creates it', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('ownerless'));
    ledger.append(recordOf('ownerless', 'early'));
    await waitUntil(() => lines.join('').includes('"stream":"ownerless-ledger"'), {
      what: 'the warning',
    });
    expect(await bus.ledgerExtent('ownerless-ledger')).toMatchObject({ exists: false });
    expect(ledger.counts).toEqual({ pending: 1, stored: 0, lost: 0 });
    using _keeper = bus.keepLedgerStream(streamOf('ownerless'));
    expect(await ledger.settled(10_000)).toBe(true);
    expect(await idsIn(bus, 'ownerless')).toEqual(['early']);
  });

  it('removes the oldest records above the byte limit', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('bytes', { maxBytes: 500_000 }));
    await using ledger = bus.openLedger(optionsOf('bytes'));
    for (let number = 0; number < 1_000; number += 1) {
      ledger.append(largeRecordOf('bytes', `r${number}`));
    }
    await ledger.settled(10_000);
    const ids = await idsIn(bus, 'bytes');
    expect(ids.length).toBeGreaterThan(50);
    expect(ids.length).toBeLessThan(400);
    expect(ids.at(-1)).toBe('r999');
  });

  it('loses a record that is too large for a message, logs that, and stores all others', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('large'));
    await using ledger = bus.openLedger(optionsOf('large'));
    const record = { id: 'huge', filler: 'x'.repeat(bus.maxPayload) };
    ledger.append(recordOf('large', 'before'));
    ledger.append({ ...recordOf('large', 'huge'), record });
    ledger.append(recordOf('large', 'after'));
    await waitUntil(() => ledger.counts.pending === 0, { what: 'the rest to be stored' });
    expect(ledger.counts).toEqual({ pending: 0, stored: 2, lost: 1 });
    expect(await idsIn(bus, 'large')).toEqual(['before', 'after']);
    await waitUntil(() => lines.join('').includes('"lost":1,'), {
      what: 'the word of the loss',
    });
  });

  it('is created again after it was deleted', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('deleted'));
    await using ledger = bus.openLedger(optionsOf('deleted'));
    ledger.append(recordOf('deleted', 'before'));
    await ledger.settled(10_000);
    await inManager((manager) => manager.streams.delete('deleted-ledger'));
    ledger.append(recordOf('deleted', 'after'));
    expect(await ledger.settled(10_000)).toBe(true);
    expect(await idsIn(bus, 'deleted')).toEqual(['after']);
  });

  it('reports when it was created, and when it was created again', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('made'));
    await using ledger = bus.openLedger(optionsOf('made'));
    const appended = async (id: string) => {
      ledger.append(recordOf('made', id));
      await ledger.settled(10_000);
      const { beginsAtMs, madeAtMs = 0 } = await bus.ledgerExtent('made-ledger');
      expect(beginsAtMs).toBeUndefined();
      return madeAtMs;
    };
    const startedAt = Date.now();
    const madeAtMs = await appended('before');
    expect(madeAtMs).toBeGreaterThanOrEqual(startedAt - 1);
    expect(madeAtMs).toBeLessThanOrEqual(Date.now());
    await waitUntil(() => Date.now() > madeAtMs, { what: 'the next moment' });
    expect(await appended('later')).toBe(madeAtMs);
    await inManager((manager) => manager.streams.delete('made-ledger'));
    expect(await appended('after')).toBeGreaterThan(madeAtMs);
  });
});
