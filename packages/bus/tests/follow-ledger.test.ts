import { subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { connectBus, type LedgerMessage, type LedgerPosition } from '../src/index.ts';
import { SHIPPED_FORMS, startGuardedNats } from './guarded-nats.ts';
import { optionsOf, recordOf, streamOf, useLedgers } from './ledger-fixture.ts';

const { connectTo, inManager, server } = useLedgers();

/** Appends records one by one, so that each has a message of its own. */
async function append(name: string, ids: readonly string[]): Promise<void> {
  await using bus = await connectTo();
  using _keeper = bus.keepLedgerStream(streamOf(name));
  await using ledger = bus.openLedger(optionsOf(name));
  for (const id of ids) {
    ledger.append(recordOf(name, id));
    expect(await ledger.settled(10_000)).toBe(true);
  }
}

/** Follows a ledger until it has read this many messages. */
async function follow(
  name: string,
  count: number,
  after: readonly LedgerPosition[] = [],
): Promise<LedgerMessage[]> {
  await using bus = await connectTo();
  const stop = new AbortController();
  const read: LedgerMessage[] = [];
  const following = { stream: `${name}-ledger`, after, signal: stop.signal };
  for await (const message of bus.followLedger(following)) {
    read.push(message);
    if (read.length === count) stop.abort();
  }
  return read;
}

const idsOf = (messages: readonly LedgerMessage[]) =>
  messages.flatMap(({ records }) => records.map((text) => (JSON.parse(text) as { id: string }).id));
const positionOf = (message: LedgerMessage | undefined): LedgerPosition => {
  if (message === undefined) throw new Error('there is no message');
  return message.position;
};

/** The message of the error with which the work fails. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe('a reader that follows a ledger', () => {
  it('reads each message once, and continues where it stopped', async () => {
    await append('follow', ['a', 'b', 'c']);
    const first = await follow('follow', 2);
    expect(idsOf(first)).toEqual(['a', 'b']);
    const rest = follow('follow', 2, [positionOf(first.at(-1))]);
    await append('follow', ['d']);
    expect(idsOf(await rest)).toEqual(['c', 'd']);
  });

  it('reads a stream from its beginning that was deleted and created again', async () => {
    await append('again', ['a', 'b', 'c']);
    const before = await follow('again', 3);
    await inManager((manager) => manager.streams.delete('again-ledger'));
    await append('again', ['d', 'e']);
    const after = await follow('again', 2, [positionOf(before.at(-1))]);
    expect(idsOf(after)).toEqual(['d', 'e']);
    expect(positionOf(after[0]).streamCreated).not.toBe(positionOf(before[0]).streamCreated);
  });

  it('reads a stream from its beginning that was restored from a copy', async () => {
    await append('restored', ['a', 'b', 'c']);
    const read = await follow('restored', 3);
    const { streamCreated } = positionOf(read[0]);
    const ofCopy = { streamCreated, sequence: 2, storedAtMs: 1 };
    expect(idsOf(await follow('restored', 3, [ofCopy]))).toEqual(['a', 'b', 'c']);
    const beyond = { ...positionOf(read[2]), sequence: 9 };
    expect(idsOf(await follow('restored', 3, [beyond]))).toEqual(['a', 'b', 'c']);
  });

  it('counts the messages that were removed before it read them', async () => {
    await append('missed', ['a', 'b', 'c', 'd']);
    const [first] = await follow('missed', 1);
    await inManager((manager) => manager.streams.purge('missed-ledger', { keep: 1 }));
    const [next] = await follow('missed', 1, [positionOf(first)]);
    expect(next).toMatchObject({ missed: 2, position: { sequence: 4 } });
  });

  it('fails when its stream is deleted or its connection is lost', async () => {
    await append('broken', ['a']);
    await using bus = await connectTo();
    const { signal } = new AbortController();
    const open = () =>
      bus.followLedger({ stream: 'broken-ledger', after: [], signal })[Symbol.asyncIterator]();
    const deleted = open();
    await deleted.next();
    const afterDeletion = failureOf(deleted.next());
    await inManager((manager) => manager.streams.delete('broken-ledger'));
    expect(await afterDeletion).toMatch(/consumer_deleted|not_found/);
    await append('broken', ['b']);
    const cut = open();
    await cut.next();
    const afterCut = failureOf(cut.next());
    await server().restart();
    expect(await afterCut).toBe('the connection was lost');
  });

  it('needs no more rights than the user of usage has', async () => {
    const [form] = Object.values(SHIPPED_FORMS);
    if (form === undefined) throw new Error('no form of the rights is shipped');
    await using guarded = await startGuardedNats(form);
    const connectAs = (user: string) =>
      connectBus({
        servers: [guarded.urlOf(user)],
        name: user,
        inbox: subjectsUnder('sluice').inbox(user),
        logger: createLogger({ service: 'ledger-test', level: 'silent' }),
      });
    await using catalog = await connectAs('catalog');
    const { outcomes } = subjectsUnder('sluice');
    const stored = { stream: outcomes.stream, subjects: outcomes.subjects() };
    using _keeper = catalog.keepLedgerStream({ ...streamOf('guarded'), ...stored });
    await using gateway = await connectAs('gateway');
    await using ledger = gateway.openLedger({ kind: 'outcomes', stream: outcomes.stream });
    const subject = outcomes.subject({ kind: 'request', organization: 'acme' });
    ledger.append({ id: 'a', subject, record: { id: 'a' } });
    expect(await ledger.settled(10_000)).toBe(true);
    await using usage = await connectAs('usage');
    const stop = new AbortController();
    const following = { stream: outcomes.stream, after: [], signal: stop.signal };
    const first = await usage.followLedger(following).next();
    stop.abort();
    expect(first.value?.records).toEqual(['{"id":"a"}']);
    const position = first.value?.position;
    if (position === undefined) throw new Error('there is no message');
    expect(await usage.ledgerUnread(outcomes.stream, [position])).toMatchObject({ messages: 0 });
    expect(await usage.ledgerUnread(outcomes.stream, [])).toMatchObject({ messages: 1 });
  });

  it('learns how much it has not read', async () => {
    await append('unread', ['a', 'b', 'c']);
    await using bus = await connectTo();
    const read = await follow('unread', 3);
    const all = await bus.ledgerUnread('unread-ledger', []);
    expect(all).toMatchObject({ messages: 3, oldestAtMs: positionOf(read[0]).storedAtMs });
    expect(all.share).toBeGreaterThan(0);
    expect(await bus.ledgerUnread('unread-ledger', [positionOf(read[0])])).toMatchObject({
      messages: 2,
      oldestAtMs: positionOf(read[1]).storedAtMs,
    });
    const none = { messages: 0, oldestAtMs: undefined, share: 0 };
    expect(await bus.ledgerUnread('unread-ledger', [positionOf(read[2])])).toEqual(none);
  });
});
