import type { AdmissionDecision } from '@sluice/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PendingAdmissions, type PendingAdmission } from './pending-admissions.ts';

const ADMITTED: AdmissionDecision = {
  outcome: 'admitted',
  decidedAtMs: 1,
  windows: {
    requests_per_minute: null,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openPending(options: { readonly firstId?: number } = {}) {
  const expired: PendingAdmission<string>[] = [];
  const answers: [string, AdmissionDecision['outcome']][] = [];
  const pending = new PendingAdmissions<string>({
    deadlineMs: 150,
    clock: () => performance.now(),
    onExpired: (admission) => expired.push(admission),
    ...options,
  });
  const add = (carrier: string, name: string) =>
    pending.add(carrier, performance.now(), ({ outcome }) => answers.push([name, outcome]));
  return { pending, expired, answers, add };
}

describe('pending admissions', () => {
  it('are answered by their id, once', () => {
    const { pending, answers, add } = openPending();
    const first = add('stream', 'first');
    const second = add('stream', 'second');
    pending.settle(second, ADMITTED);
    pending.settle(second, { outcome: 'unavailable' });
    pending.settle(first, ADMITTED);
    expect(answers).toStrictEqual([
      ['second', 'admitted'],
      ['first', 'admitted'],
    ]);
    expect(pending.size).toBe(0);
  });

  it('become unavailable at their own deadlines, with one timer for all', async () => {
    const { expired, answers, add } = openPending();
    add('stream', 'first');
    await vi.advanceTimersByTimeAsync(100);
    for (let count = 0; count < 500; count += 1) add('stream', 'later');
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(55);
    expect(answers).toStrictEqual([['first', 'unavailable']]);
    await vi.advanceTimersByTimeAsync(105);
    expect(answers).toHaveLength(501);
    expect(expired).toHaveLength(501);
  });

  it('that come when all before them have expired become unavailable, too', async () => {
    const { answers, add } = openPending();
    for (const name of ['first', 'second']) {
      await vi.advanceTimersByTimeAsync(1_000);
      add('stream', name);
      await vi.advanceTimersByTimeAsync(155);
    }
    expect(answers).toStrictEqual([
      ['first', 'unavailable'],
      ['second', 'unavailable'],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that expire report when they were sent', async () => {
    const { pending, expired } = openPending();
    const askedAt = performance.now() - 20;
    pending.add('stream', askedAt, () => undefined);
    await vi.advanceTimersByTimeAsync(155);
    expect(expired).toMatchObject([{ carrier: 'stream', since: askedAt }]);
  });

  it('of a busy process accept answers that it reads some turns after the deadline', async () => {
    const { pending, expired, answers, add } = openPending();
    const id = add('stream', 'read late');
    for (const _step of ['deadline', 'written', 'decided', 'read']) {
      await vi.advanceTimersToNextTimerAsync();
    }
    pending.settle(id, ADMITTED);
    await vi.advanceTimersToNextTimerAsync();
    expect(answers).toStrictEqual([['read late', 'admitted']]);
    expect(expired).toStrictEqual([]);
  });

  it('that were sent late, after a long turn, have as many turns as others', async () => {
    const { pending, answers, add } = openPending();
    add('stream', 'first');
    await vi.advanceTimersToNextTimerAsync();
    const askedAt = performance.now() - 1_000;
    const late = pending.add('stream', askedAt, ({ outcome }) => answers.push(['late', outcome]));
    for (let turn = 0; turn < 4; turn += 1) await vi.advanceTimersToNextTimerAsync();
    expect(answers).toStrictEqual([['first', 'unavailable']]);
    pending.settle(late, ADMITTED);
    expect(answers.at(-1)).toStrictEqual(['late', 'admitted']);
  });

  it('of a broken stream become unavailable at once, and no others', () => {
    const { pending, answers, add } = openPending();
    add('broken', 'lost');
    const kept = add('whole', 'kept');
    pending.abandon('broken');
    expect(answers).toStrictEqual([['lost', 'unavailable']]);
    pending.settle(kept, ADMITTED);
    expect(answers).toHaveLength(2);
  });

  it('do not overwrite each other, however many there are and however long one of them takes', () => {
    const { pending, answers, add } = openPending();
    const slow = add('stream', 'slow');
    const ids = new Set([slow]);
    for (let count = 0; count < 5_000; count += 1) {
      const id = add('stream', 'quick');
      ids.add(id);
      if (count % 3 > 0) pending.settle(id, ADMITTED);
    }
    expect(ids.size).toBe(5_001);
    expect(pending.size).toBe(1 + Math.ceil(5_000 / 3));
    pending.settle(slow, ADMITTED);
    expect(answers.at(-1)).toStrictEqual(['slow', 'admitted']);
    pending.abandonAll();
    expect(answers).toHaveLength(5_001);
    expect(pending.size).toBe(0);
  });

  it('continue at the first id after the last one', async () => {
    const { pending, answers, add } = openPending({ firstId: 2 ** 32 - 2 });
    const names = ['a', 'b', 'c', 'd'];
    expect(names.map((name) => add('stream', name))).toStrictEqual([
      2 ** 32 - 2,
      2 ** 32 - 1,
      0,
      1,
    ]);
    pending.settle(0, ADMITTED);
    await vi.advanceTimersByTimeAsync(155);
    expect(answers).toStrictEqual([
      ['c', 'admitted'],
      ['a', 'unavailable'],
      ['b', 'unavailable'],
      ['d', 'unavailable'],
    ]);
  });

  it('do not overwrite each other after the ids have wrapped around', () => {
    const { pending, answers, add } = openPending({ firstId: 2 ** 32 - 2 });
    const ids = Array.from({ length: 5_000 }, () => add('stream', 'waiting'));
    for (const id of ids) pending.settle(id, ADMITTED);
    expect(answers).toHaveLength(5_000);
  });

  it('are not mistaken for an earlier one with the same id', async () => {
    const { pending, answers, add } = openPending();
    const late = add('stream', 'late');
    await vi.advanceTimersByTimeAsync(160);
    for (let count = 0; count < 1_024; count += 1) add('stream', 'after');
    pending.settle(late, ADMITTED);
    expect(answers).toStrictEqual([['late', 'unavailable']]);
    expect(pending.size).toBe(1_024);
  });
});
