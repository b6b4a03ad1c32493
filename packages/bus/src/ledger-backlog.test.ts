import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerBacklog } from './ledger-backlog.ts';

const MAX_CHARACTERS = 1_000;

let backlog: LedgerBacklog;
beforeEach(() => {
  backlog = new LedgerBacklog({ records: 5, sent: 2 });
});

/** Appends a record. By default each record has its own subject, and so its own batch. */
function append(id: string, { now = 0, subject = id } = {}): boolean {
  return backlog.append({ id, subject, record: { id } }, now);
}

/** Sends what may be sent. The tokens are the ids of the batches. */
function send(now = 0): string[] {
  const batches = backlog.take(MAX_CHARACTERS);
  for (const batch of batches) backlog.markSent(batch.id, batch, now);
  return batches.map(({ id }) => id);
}

describe('room in a backlog', () => {
  it('is for a limited number of records, sent or not; further records are lost', () => {
    for (const id of ['a', 'b', 'c']) append(id);
    send();
    for (const id of ['d', 'e']) expect(append(id)).toBe(true);
    expect(append('f')).toBe(false);
    expect(backlog.counts).toEqual({ pending: 5, stored: 0, lost: 1 });
  });

  it('is there again for as many as were stored or lost', () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) append(id);
    send();
    backlog.acknowledge('a');
    expect(append('f')).toBe(true);
    expect(append('g')).toBe(false);
    for (const batch of backlog.take(MAX_CHARACTERS)) backlog.lose(batch);
    expect(append('h')).toBe(true);
    expect(backlog.counts).toEqual({ pending: 5, stored: 1, lost: 2 });
  });
});

describe('the batches of a backlog', () => {
  it('are returned in order, up to the limit of unacknowledged ones', () => {
    for (const id of ['a', 'b', 'c']) append(id);
    expect(send()).toEqual(['a', 'b']);
    expect(backlog.hasUnsent).toBe(true);
    expect(send()).toEqual([]);
    backlog.acknowledge('a');
    expect(send()).toEqual(['c']);
    expect(backlog.hasUnsent).toBe(false);
  });

  it('do not contain records that were appended after they were combined', () => {
    for (const id of ['a', 'b', 'c']) append(id);
    send();
    append('later', { subject: 'c' });
    expect(backlog.hasWaiting).toBe(true);
    backlog.acknowledge('a');
    expect(backlog.take(MAX_CHARACTERS)).toMatchObject([{ id: 'c', recordCount: 1 }]);
  });

  it('are returned first after they were put back', () => {
    for (const id of ['a', 'b', 'c']) append(id);
    backlog.putBack(backlog.take(MAX_CHARACTERS));
    expect(send()).toEqual(['a', 'b']);
    expect(backlog.counts.pending).toBe(3);
  });
});

describe('a batch that was sent', () => {
  it('is stored once, with all its records, however often it is acknowledged', () => {
    for (const id of ['a', 'b', 'c']) append(id, { subject: 'acme' });
    send();
    expect(backlog.isSent('a')).toBe(true);
    backlog.acknowledge('a');
    backlog.acknowledge('a');
    expect(backlog.isSent('a')).toBe(false);
    expect(backlog.counts).toEqual({ pending: 0, stored: 3, lost: 0 });
  });

  it('is sent before unsent batches after it was marked as unsent', () => {
    for (const id of ['a', 'b', 'c']) append(id);
    send();
    backlog.markUnsent(['b', 'unknown']);
    expect(send()).toEqual(['b']);
    backlog.markAllUnsent();
    expect(send()).toEqual(['a', 'b']);
    expect(backlog.counts).toEqual({ pending: 3, stored: 0, lost: 0 });
  });

  it('is not stored by an acknowledgement that comes after it was marked as unsent', () => {
    append('a');
    send();
    backlog.markAllUnsent();
    backlog.acknowledge('a');
    expect(backlog.counts).toEqual({ pending: 1, stored: 0, lost: 0 });
  });

  it('is marked as unsent when it is not acknowledged within five seconds', () => {
    append('a');
    send(100);
    append('b');
    send(101);
    expect(backlog.sweep(5_099)).toBe(false);
    expect(backlog.sweep(5_100)).toBe(true);
    expect([backlog.isSent('a'), backlog.isSent('b')]).toEqual([false, true]);
    expect(send()).toEqual(['a']);
  });
});

describe('a record that could not be stored for ten minutes', () => {
  it('is lost, and younger records are kept', () => {
    append('old', { now: 100 });
    append('young', { now: 101 });
    backlog.sweep(600_099);
    expect(backlog.counts).toEqual({ pending: 2, stored: 0, lost: 0 });
    backlog.sweep(600_100);
    expect(backlog.counts).toEqual({ pending: 1, stored: 0, lost: 1 });
    expect(send()).toEqual(['young']);
  });

  it('is lost with its batch when the newest record of the batch is as old', () => {
    append('old', { now: 0, subject: 'acme' });
    append('young', { now: 100, subject: 'acme' });
    append('other', { now: 50, subject: 'zeta' });
    backlog.putBack(backlog.take(MAX_CHARACTERS));
    backlog.sweep(600_099);
    expect(backlog.counts).toEqual({ pending: 2, stored: 0, lost: 1 });
    backlog.sweep(600_100);
    expect(backlog.counts).toEqual({ pending: 0, stored: 0, lost: 3 });
    expect(send()).toEqual([]);
  });

  it('is not lost while its batch is in flight, but as soon as the acknowledgement is late', () => {
    append('a', { now: 0 });
    send(599_000);
    backlog.sweep(600_000);
    expect(backlog.counts).toEqual({ pending: 1, stored: 0, lost: 0 });
    expect(backlog.sweep(604_000)).toBe(true);
    expect(backlog.counts).toEqual({ pending: 0, stored: 0, lost: 1 });
  });
});

describe('a closed backlog', () => {
  it('counts all records that were not stored as lost', () => {
    for (const id of ['a', 'b', 'c']) append(id);
    send();
    append('d');
    backlog.acknowledge('a');
    backlog.close();
    expect(backlog.counts).toEqual({ pending: 0, stored: 1, lost: 3 });
    expect([backlog.hasWaiting, backlog.hasUnsent, backlog.isSent('b')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('loses later records, and ignores late acknowledgements', () => {
    append('a');
    send();
    backlog.close();
    expect(append('b')).toBe(false);
    backlog.acknowledge('a');
    expect(backlog.counts).toEqual({ pending: 0, stored: 0, lost: 2 });
  });
});
