import { waitUntil } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { BusTimeoutError } from '../src/index.ts';
import {
  idsIn,
  largeRecordOf,
  optionsOf,
  recordOf,
  streamOf,
  useLedgers,
} from './ledger-fixture.ts';

const { connectTo, inManager, lines, server } = useLedgers();

describe('a ledger whose server fails', () => {
  it('loses no acknowledged record and stores none twice when the server is killed during writing', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('killed'));
    await using ledger = bus.openLedger(optionsOf('killed'));
    const ids: string[] = [];
    const append = (count: number) => {
      for (let number = 0; number < count; number += 1) {
        const id = `r${ids.length}`;
        ids.push(id);
        // Two records a message make many messages, so that some are always being sent.
        ledger.append(recordOf('killed', id, `organization-${number % (count / 2)}`));
      }
    };
    for (let round = 0; round < 3; round += 1) {
      let before = ledger.counts.stored;
      const someAreOnTheirWay = () => {
        // Runs at the start, and each time all records were acknowledged between two checks.
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
      await server().kill();
      await waitUntil(() => !bus.connected, { what: 'the connection to be lost' });
      append(100);
      await server().start();
      await waitUntil(() => bus.connected, { what: 'the connection to be back' });
    }
    expect(await ledger.settled(20_000)).toBe(true);
    expect(ledger.counts.lost).toBe(0);
    const stored = await idsIn(bus, 'killed');
    expect(new Set(stored)).toEqual(new Set(ids));
    expect(stored).toHaveLength(ids.length);
  });

  it('keeps what a frozen server does not acknowledge, and delivers it when the server continues', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('frozen'));
    await using ledger = bus.openLedger(optionsOf('frozen'));
    ledger.append(recordOf('frozen', 'before'));
    await ledger.settled(10_000);
    server().freeze();
    try {
      for (let number = 0; number < 50; number += 1) {
        ledger.append(recordOf('frozen', `r${number}`));
      }
      await waitUntil(() => !bus.connected, { what: 'the silence to be noticed' });
      expect(ledger.counts.pending).toBe(50);
    } finally {
      server().thaw();
    }
    expect(await ledger.settled(20_000)).toBe(true);
    const stored = await idsIn(bus, 'frozen');
    expect(new Set(stored).size).toBe(51);
    expect(stored).toHaveLength(51);
  });

  it('fails to be read when the server falls silent in the middle', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('silent'));
    await using ledger = bus.openLedger(optionsOf('silent'));
    for (let number = 0; number < 5_000; number += 1) {
      ledger.append(largeRecordOf('silent', `r${number}`));
    }
    await ledger.settled(20_000);
    const query = { stream: 'silent-ledger', subjects: 'silent.ledger.>', sinceMs: 0 };
    let read = 0;
    const reading = async () => {
      for await (const _record of bus.readLedger(query)) {
        if (read === 0) server().freeze();
        read += 1;
      }
    };
    try {
      await expect(reading()).rejects.toThrow(BusTimeoutError);
    } finally {
      server().thaw();
    }
    expect(read).toBeLessThan(5_000);
    await waitUntil(() => bus.connected, { what: 'the connection to be back' });
  });

  it('reports how many records it lost when its buffer overflows, and never throws', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('overflow'));
    const ledger = bus.openLedger({ ...optionsOf('overflow'), bufferLimit: 10 });
    ledger.append(recordOf('overflow', 'first'));
    await ledger.settled(10_000);
    await server().kill();
    await waitUntil(() => !bus.connected, { what: 'the connection to be lost' });
    for (let number = 0; number < 25; number += 1) {
      ledger.append(recordOf('overflow', `r${number}`));
    }
    expect(ledger.counts).toEqual({ pending: 10, stored: 1, lost: 15 });
    await server().start();
    await ledger[Symbol.asyncDispose]();
    expect(ledger.counts).toMatchObject({ pending: 0, lost: 15 });
    expect(lines.join('')).toContain('"lost":15');
    expect(await idsIn(bus, 'overflow')).toHaveLength(11);
  });

  it('sends again, as the same message, what the stream does not acknowledge', async () => {
    await using bus = await connectTo();
    const maker = bus.keepLedgerStream(streamOf('unheard'));
    await using ledger = bus.openLedger(optionsOf('unheard'));
    ledger.append(recordOf('unheard', 'before'));
    await ledger.settled(10_000);
    // With a listener on the subject, the server does not report at once that there is no stream.
    await using listener = await connectTo();
    const heard: (string | undefined)[] = [];
    listener.subscribe('unheard.ledger.>', ({ headers }) => heard.push(headers['nats-msg-id']));
    await listener.flush();
    maker[Symbol.dispose]();
    await inManager((manager) => manager.streams.delete('unheard-ledger'));
    ledger.append(recordOf('unheard', 'after'));
    await waitUntil(() => heard.length === 1, { what: 'the record' });
    using _maker = bus.keepLedgerStream(streamOf('unheard'));
    await waitUntil(() => heard.length === 2, { what: 'the record, again' });
    expect(heard).toEqual(['after', 'after']);
    expect(await ledger.settled(10_000)).toBe(true);
    expect(await idsIn(bus, 'unheard')).toEqual(['after']);
  });

  it('reports how many records it could not store before its end, and accepts no more', async () => {
    await using bus = await connectTo();
    using _keeper = bus.keepLedgerStream(streamOf('ended'));
    const ledger = bus.openLedger(optionsOf('ended'));
    ledger.append(recordOf('ended', 'first'));
    await ledger.settled(10_000);
    await server().kill();
    await waitUntil(() => !bus.connected, { what: 'the connection to be lost' });
    for (let number = 0; number < 7; number += 1) ledger.append(recordOf('ended', `r${number}`));
    await ledger[Symbol.asyncDispose]();
    expect(ledger.counts).toEqual({ pending: 0, stored: 1, lost: 7 });
    expect(lines.join('')).toContain('"lost":7,');
    ledger.append(recordOf('ended', 'late'));
    expect(ledger.counts).toEqual({ pending: 0, stored: 1, lost: 8 });
    await server().start();
    await waitUntil(() => bus.connected, { what: 'the connection to be back' });
  });
});
