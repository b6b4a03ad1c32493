import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import { createLogger } from '@sluice/telemetry';
import { waitUntil } from '@sluice/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BusTimeoutError, connectBus, type Bus, type LedgerOptions } from '../src/index.ts';
import { NatsProcess } from './nats-process.ts';

const lines: string[] = [];
const logger = createLogger({
  service: 'ledger-test',
  level: 'warn',
  destination: { write: (line: string) => void lines.push(line) },
});

let nats: NatsProcess;
beforeAll(async () => {
  nats = await NatsProcess.start();
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
});

const connectTo = () => connectBus({ servers: [nats.address], name: 'ledger', logger });

function optionsOf(name: string, more: Partial<LedgerOptions> = {}): LedgerOptions {
  return {
    kind: 'outcomes',
    stream: `${name}-ledger`,
    subjects: `${name}.ledger.>`,
    replicas: 1,
    maxAgeMs: 3_600_000,
    maxBytes: 50_000_000,
    ...more,
  };
}

function recordOf(name: string, id: string, organization = 'acme') {
  return { id, subject: `${name}.ledger.request.${organization}`, record: { id } };
}

/** So many bytes that only some of them fit into a message. */
function largeRecordOf(name: string, id: string) {
  return { ...recordOf(name, id), record: { id, filler: 'x'.repeat(2_000) } };
}

async function idsIn(bus: Bus, name: string, { subjects = `${name}.ledger.>`, sinceMs = 0 } = {}) {
  const ids: string[] = [];
  for await (const record of bus.readLedger({ stream: `${name}-ledger`, subjects, sinceMs })) {
    ids.push(/^\{"id":"([^"]+)"/.exec(record.text)?.[1] ?? record.text);
  }
  return ids;
}

/** Leaves no turn to the socket. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

async function inManager<Result>(
  use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<Result>,
): Promise<Result> {
  const connection = await connect({ servers: nats.address });
  try {
    return await use(await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
}

describe('a ledger', () => {
  it('keeps what is appended, in order', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('order'));
    const ids = Array.from({ length: 3_000 }, (_, number) => `r${number}`);
    for (const id of ids) ledger.append(recordOf('order', id));
    expect(ledger.counts).toEqual({ pending: 3_000, stored: 0, lost: 0 });
    expect(await ledger.settled(10_000)).toBe(true);
    expect(ledger.counts).toEqual({ pending: 0, stored: 3_000, lost: 0 });
    expect(await idsIn(bus, 'order')).toEqual(ids);
  });

  it('keeps the records of an organization in few messages, and of two in messages of their own', async () => {
    await using bus = await connectTo();
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
    await using ledger = bus.openLedger(optionsOf('many'));
    const ids = Array.from({ length: 5_000 }, (_, number) => `r${number}`);
    for (const id of ids) ledger.append(recordOf('many', id, `organization-${id}`));
    expect(await ledger.settled(20_000)).toBe(true);
    expect(ledger.counts).toEqual({ pending: 0, stored: 5_000, lost: 0 });
    expect(await idsIn(bus, 'many')).toEqual(ids);
  });

  it('is read from a time on, and by subject', async () => {
    await using bus = await connectTo();
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

  it('is read whole by one who is too busy to take it as fast as it comes', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('much', { maxBytes: 500_000_000 }));
    // Together more than the 64 MiB that a server holds for one connection, in the largest messages there are.
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

  it('that nobody has made yet is empty', async () => {
    await using bus = await connectTo();
    expect(await idsIn(bus, 'nowhere')).toEqual([]);
    expect(await bus.ledgerExtent('nowhere-ledger')).toEqual({
      exists: false,
      beginsAtMs: undefined,
      madeAtMs: undefined,
    });
  });

  it('tells where it begins when its oldest records were removed', async () => {
    await using bus = await connectTo();
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
    // What the last of them was stored at is all that is known when none is left.
    await inManager((manager) => manager.streams.purge('begins-ledger'));
    expect(await extent()).toMatchObject({ exists: true, beginsAtMs });
  });

  it('is made once by many, and takes the bounds of who comes later', async () => {
    await using bus = await connectTo();
    const ledgers = Array.from({ length: 5 }, () => bus.openLedger(optionsOf('bounds')));
    for (const [number, ledger] of ledgers.entries()) {
      ledger.append(recordOf('bounds', `from ${number}`));
    }
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    expect((await idsIn(bus, 'bounds')).toSorted()).toEqual(ledgers.map((_, n) => `from ${n}`));
    await using later = bus.openLedger(optionsOf('bounds', { maxBytes: 1_000_000 }));
    later.append(recordOf('bounds', 'later'));
    await later.settled(10_000);
    const { config } = await inManager((manager) => manager.streams.info('bounds-ledger'));
    expect(config).toMatchObject({
      max_bytes: 1_000_000,
      max_age: nanos(3_600_000),
      num_replicas: 1,
    });
  });

  it('keeps its bounds where a server that is alone cannot hold it as often', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('alone'));
    ledger.append(recordOf('alone', 'first'));
    await ledger.settled(10_000);
    await using thrice = bus.openLedger(optionsOf('alone', { replicas: 3 }));
    thrice.append(recordOf('alone', 'second'));
    await thrice.settled(10_000);
    expect(await idsIn(bus, 'alone')).toEqual(['first', 'second']);
    const { config } = await inManager((manager) => manager.streams.info('alone-ledger'));
    expect(config.num_replicas).toBe(1);
    expect(lines.filter((line) => line.includes('alone-ledger'))).toHaveLength(1);
  });

  it('forgets the oldest when there are too many bytes', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('bytes', { maxBytes: 500_000 }));
    for (let number = 0; number < 1_000; number += 1) {
      ledger.append(largeRecordOf('bytes', `r${number}`));
    }
    await ledger.settled(10_000);
    const ids = await idsIn(bus, 'bytes');
    expect(ids.length).toBeGreaterThan(50);
    expect(ids.length).toBeLessThan(400);
    expect(ids.at(-1)).toBe('r999');
  });

  it('loses a record that no message can hold, says so, and keeps the others', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('large'));
    const record = { id: 'huge', filler: 'x'.repeat(bus.maxPayload) };
    ledger.append(recordOf('large', 'before'));
    ledger.append({ ...recordOf('large', 'huge'), record });
    ledger.append(recordOf('large', 'after'));
    await waitUntil(() => ledger.counts.pending === 0, { what: 'the rest to be stored' });
    expect(ledger.counts).toEqual({ pending: 0, stored: 2, lost: 1 });
    expect(await idsIn(bus, 'large')).toEqual(['before', 'after']);
    await waitUntil(() => lines.join('').includes('"lost":1,'), { what: 'the word of the loss' });
  });

  it('is made again when somebody deleted it', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('deleted'));
    ledger.append(recordOf('deleted', 'before'));
    await ledger.settled(10_000);
    await inManager((manager) => manager.streams.delete('deleted-ledger'));
    ledger.append(recordOf('deleted', 'after'));
    expect(await ledger.settled(10_000)).toBe(true);
    expect(await idsIn(bus, 'deleted')).toEqual(['after']);
  });

  it('tells when it was made, and when it was made again', async () => {
    await using bus = await connectTo();
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

  it('loses nothing acknowledged and doubles nothing when the server is killed while it is written', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('killed'));
    const ids: string[] = [];
    const append = (count: number) => {
      for (let number = 0; number < count; number += 1) {
        const id = `r${ids.length}`;
        ids.push(id);
        // Two records a message: many messages, of which some are on their way at any moment.
        ledger.append(recordOf('killed', id, `organization-${number % (count / 2)}`));
      }
    };
    for (let round = 0; round < 3; round += 1) {
      let before = ledger.counts.stored;
      const someAreOnTheirWay = () => {
        // At first, and whenever all of them were acknowledged between two looks.
        if (ledger.counts.pending === 0) {
          before = ledger.counts.stored;
          append(4_000);
        }
        return ledger.counts.stored > before + 500;
      };
      await waitUntil(someAreOnTheirWay, {
        what: 'some to be acknowledged while others are on their way',
        everyMs: 1,
      });
      await nats.kill();
      await waitUntil(() => !bus.connected, { what: 'the connection to be lost' });
      append(100);
      await nats.start();
      await waitUntil(() => bus.connected, { what: 'the connection to be back' });
    }
    expect(await ledger.settled(20_000)).toBe(true);
    expect(ledger.counts.lost).toBe(0);
    const stored = await idsIn(bus, 'killed');
    expect(new Set(stored)).toEqual(new Set(ids));
    expect(stored).toHaveLength(ids.length);
  });

  it('holds what a frozen server does not acknowledge, and delivers it when it wakes', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('frozen'));
    ledger.append(recordOf('frozen', 'before'));
    await ledger.settled(10_000);
    nats.freeze();
    try {
      for (let number = 0; number < 50; number += 1) {
        ledger.append(recordOf('frozen', `r${number}`));
      }
      await waitUntil(() => !bus.connected, { what: 'the silence to be noticed' });
      expect(ledger.counts.pending).toBe(50);
    } finally {
      nats.thaw();
    }
    expect(await ledger.settled(20_000)).toBe(true);
    const stored = await idsIn(bus, 'frozen');
    expect(new Set(stored).size).toBe(51);
    expect(stored).toHaveLength(51);
  });

  it('fails to be read when the server falls silent in the middle', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('silent'));
    for (let number = 0; number < 5_000; number += 1) {
      ledger.append(largeRecordOf('silent', `r${number}`));
    }
    await ledger.settled(20_000);
    const query = { stream: 'silent-ledger', subjects: 'silent.ledger.>', sinceMs: 0 };
    let read = 0;
    const reading = async () => {
      for await (const _record of bus.readLedger(query)) {
        if (read === 0) nats.freeze();
        read += 1;
      }
    };
    try {
      await expect(reading()).rejects.toThrow(BusTimeoutError);
    } finally {
      nats.thaw();
    }
    expect(read).toBeLessThan(5_000);
    await waitUntil(() => bus.connected, { what: 'the connection to be back' });
  });

  it('says how much it lost when its buffer overflows, and never throws', async () => {
    await using bus = await connectTo();
    const ledger = bus.openLedger(optionsOf('overflow', { bufferLimit: 10 }));
    ledger.append(recordOf('overflow', 'first'));
    await ledger.settled(10_000);
    await nats.kill();
    await waitUntil(() => !bus.connected, { what: 'the connection to be lost' });
    for (let number = 0; number < 25; number += 1) {
      ledger.append(recordOf('overflow', `r${number}`));
    }
    expect(ledger.counts).toEqual({ pending: 10, stored: 1, lost: 15 });
    await nats.start();
    await ledger[Symbol.asyncDispose]();
    expect(ledger.counts).toMatchObject({ pending: 0, lost: 15 });
    expect(lines.join('')).toContain('"lost":15');
    expect(await idsIn(bus, 'overflow')).toHaveLength(11);
  });

  it('sends again, as the same message, what the stream does not acknowledge', async () => {
    await using bus = await connectTo();
    await using ledger = bus.openLedger(optionsOf('unheard'));
    ledger.append(recordOf('unheard', 'before'));
    await ledger.settled(10_000);
    // Somebody listens, or the server would say at once that there is no stream.
    await using listener = await connectTo();
    const heard: (string | undefined)[] = [];
    listener.subscribe('unheard.ledger.>', ({ headers }) => heard.push(headers['nats-msg-id']));
    await listener.flush();
    await inManager((manager) => manager.streams.delete('unheard-ledger'));
    ledger.append(recordOf('unheard', 'after'));
    await waitUntil(() => heard.length === 1, { what: 'the record' });
    await using _maker = bus.openLedger(optionsOf('unheard'));
    await waitUntil(() => heard.length === 2, { what: 'the record, again' });
    expect(heard).toEqual(['after', 'after']);
    expect(await ledger.settled(10_000)).toBe(true);
    expect(await idsIn(bus, 'unheard')).toEqual(['after']);
  });

  it('says how much it could not store before its end, and takes nothing after that', async () => {
    await using bus = await connectTo();
    const ledger = bus.openLedger(optionsOf('ended'));
    ledger.append(recordOf('ended', 'first'));
    await ledger.settled(10_000);
    await nats.kill();
    await waitUntil(() => !bus.connected, { what: 'the connection to be lost' });
    for (let number = 0; number < 7; number += 1) ledger.append(recordOf('ended', `r${number}`));
    await ledger[Symbol.asyncDispose]();
    expect(ledger.counts).toEqual({ pending: 0, stored: 1, lost: 7 });
    expect(lines.join('')).toContain('"lost":7,');
    ledger.append(recordOf('ended', 'late'));
    expect(ledger.counts).toEqual({ pending: 0, stored: 1, lost: 8 });
    await nats.start();
    await waitUntil(() => bus.connected, { what: 'the connection to be back' });
  });
});
