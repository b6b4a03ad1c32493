import type { AdmissionRequest } from '@sluice/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNLIMITED } from '../../tests/support/calls.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { NothingRanError, type Ledger, type LedgerCall, type Verdict } from './ledger.ts';

const windows = {
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};

function request(organization: string, tokens: number, sequence = 1): AdmissionRequest {
  const limits = { ...UNLIMITED, requests_per_minute: sequence };
  return { organization, limits, revision: { epoch: 1, sequence }, requests: 1, tokens };
}

interface SentCall {
  readonly call: LedgerCall;
  readonly answer: () => void;
  readonly fail: (reason?: Error) => void;
}

/** A ledger that answers when told to; a verdict's time is its cost, so that answers can be told apart. */
class HeldLedger implements Ledger {
  readonly turns: SentCall[][] = [];
  /** Calls of a turn that it has answers for, where it breaks its promise. */
  mostAnswers = Infinity;
  canSend = true;

  decide(calls: readonly LedgerCall[]): Promise<readonly Verdict[]>[] {
    const turn: SentCall[] = [];
    this.turns.push(turn);
    return calls.slice(0, this.mostAnswers).map((call) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Verdict[]>();
      turn.push({
        call,
        answer: () =>
          resolve(
            call.costs.map(({ tokens }) => ({ outcome: 'admitted', windows, decidedAtMs: tokens })),
          ),
        fail: (reason = new Error('connection closed')) => reject(reason),
      });
      return promise;
    });
  }

  turn(index: number): SentCall[] {
    const turn = this.turns[index];
    if (turn === undefined) throw new Error(`there was no turn ${index}`);
    return turn;
  }
}

function openQueue(bounds: { capacity?: number; keptQueues?: number } = {}) {
  const ledger = new HeldLedger();
  const outcomes: boolean[] = [];
  const queue = new AdmissionQueue({
    ledger,
    deadlineMs: 100,
    now: () => performance.now(),
    onAnswered: () => outcomes.push(true),
    onFailed: () => outcomes.push(false),
    ...bounds,
  });
  return { ledger, outcomes, queue };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nextTurn = () => vi.advanceTimersByTimeAsync(1);

describe('the admission queue', () => {
  it('sends what one turn brought together: one call an organization, in order of arrival', async () => {
    const { ledger, queue } = openQueue();
    const answers = [request('a', 1), request('b', 2), request('a', 3)].map((ask) =>
      queue.admit(ask),
    );
    expect(ledger.turns).toHaveLength(0);
    await nextTurn();
    expect(ledger.turns).toHaveLength(1);
    const sent = ledger.turn(0);
    expect(
      sent.map(({ call }) => [call.organization, call.costs.map(({ tokens }) => tokens)]),
    ).toStrictEqual([
      ['a', [1, 3]],
      ['b', [2]],
    ]);
    for (const { answer } of sent) answer();
    expect(await Promise.all(answers)).toMatchObject([
      { decidedAtMs: 1 },
      { decidedAtMs: 2 },
      { decidedAtMs: 3 },
    ]);
    expect(queue.unanswered).toBe(0);
  });

  it('has one call of an organization in flight, and sends what came meanwhile together', async () => {
    const { ledger, queue } = openQueue();
    const first = queue.admit(request('a', 1));
    await nextTurn();
    const meanwhile = [2, 3, 4].map((tokens) => queue.admit(request('a', tokens)));
    void queue.admit(request('b', 9));
    await nextTurn();
    expect(ledger.turn(1).map(({ call }) => call.organization)).toStrictEqual(['b']);
    ledger.turn(0)[0]?.answer();
    await first;
    await nextTurn();
    expect(ledger.turn(2)[0]?.call.costs.map(({ tokens }) => tokens)).toStrictEqual([2, 3, 4]);
    ledger.turn(2)[0]?.answer();
    expect(await Promise.all(meanwhile)).toHaveLength(3);
  });

  it('forgets organizations without a call when there are many, and none that has one', async () => {
    const { ledger, queue } = openQueue({ keptQueues: 2 });
    const first = queue.admit(request('a', 1));
    const idle = queue.admit(request('b', 2));
    await nextTurn();
    ledger.turn(0)[1]?.answer();
    await idle;
    expect(queue.organizations).toBe(2);
    const others = ['c', 'd', 'b'].map((organization) => queue.admit(request(organization, 3)));
    expect(queue.organizations).toBe(4);
    const second = queue.admit(request('a', 4));
    await nextTurn();
    expect(ledger.turn(1).map(({ call }) => call.organization)).toStrictEqual(['c', 'd', 'b']);
    for (const { answer } of [...ledger.turn(0), ...ledger.turn(1)]) answer();
    await Promise.all([first, ...others]);
    await nextTurn();
    expect(ledger.turn(2).map(({ call }) => call.organization)).toStrictEqual(['a']);
    ledger.turn(2)[0]?.answer();
    expect(await second).toMatchObject({ decidedAtMs: 4 });
    expect(queue.unanswered).toBe(0);
    void queue.admit(request('e', 5));
    expect(queue.organizations).toBe(1);
  });

  it('gives a batch the newest limits among it', async () => {
    const { ledger, queue } = openQueue();
    for (const sequence of [2, 3, 1]) void queue.admit(request('a', 1, sequence));
    await nextTurn();
    expect(ledger.turn(0)[0]?.call).toMatchObject({
      revision: { epoch: 1, sequence: 3 },
      limits: { requests_per_minute: 3 },
    });
  });

  it('takes limits of a younger catalog for newer, whatever their number', async () => {
    const { ledger, queue } = openQueue();
    for (const epoch of [1, 2, 1]) {
      const revision = { epoch, sequence: epoch === 2 ? 1 : 9 };
      void queue.admit({ ...request('a', 1), revision });
    }
    await nextTurn();
    expect(ledger.turn(0)[0]?.call).toMatchObject({ revision: { epoch: 2, sequence: 1 } });
  });

  it('answers unavailable when the store fails, and counts one failure a call', async () => {
    const { ledger, outcomes, queue } = openQueue();
    const answers = [queue.admit(request('a', 1)), queue.admit(request('a', 2))];
    await nextTurn();
    ledger.turn(0)[0]?.fail();
    expect(await Promise.all(answers)).toStrictEqual([
      { outcome: 'unavailable' },
      { outcome: 'unavailable' },
    ]);
    expect(outcomes).toStrictEqual([false]);
    expect(queue.unanswered).toBe(0);
  });

  it('takes a call that the ledger has no answer for as failed, and serves the organization on', async () => {
    const { ledger, outcomes, queue } = openQueue();
    ledger.mostAnswers = 1;
    const answers = [queue.admit(request('a', 1)), queue.admit(request('b', 2))];
    await nextTurn();
    ledger.turn(0)[0]?.answer();
    expect(await Promise.all(answers)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'unavailable' },
    ]);
    expect(outcomes).toStrictEqual([false, true]);
    expect(queue.unanswered).toBe(0);
    const next = queue.admit(request('b', 3));
    await nextTurn();
    ledger.turn(1)[0]?.answer();
    expect(await next).toMatchObject({ outcome: 'admitted' });
  });

  it('gives up a silent store after its deadline, and never sends what waited behind it', async () => {
    const { ledger, outcomes, queue } = openQueue();
    const sent = queue.admit(request('a', 1));
    await nextTurn();
    await vi.advanceTimersByTimeAsync(60);
    const behind = queue.admit(request('a', 2));
    await vi.advanceTimersByTimeAsync(50);
    expect(await sent).toStrictEqual({ outcome: 'unavailable' });
    expect(await behind).toStrictEqual({ outcome: 'unavailable' });
    expect(outcomes).toStrictEqual([false]);
    expect(ledger.turns).toHaveLength(1);
  });

  it('counts the wait for a turn: a call behind a slow one has only what is left', async () => {
    const { ledger, outcomes, queue } = openQueue();
    const first = queue.admit(request('a', 1));
    await nextTurn();
    await vi.advanceTimersByTimeAsync(5);
    const second = queue.admit(request('a', 2));
    await vi.advanceTimersByTimeAsync(80);
    ledger.turn(0)[0]?.answer();
    expect(await first).toMatchObject({ outcome: 'admitted' });
    await nextTurn();
    expect(ledger.turns).toHaveLength(2);
    const decided = vi.fn<() => void>();
    void second.then(decided);
    await vi.advanceTimersByTimeAsync(30);
    expect(decided).toHaveBeenCalledExactlyOnceWith({ outcome: 'unavailable' });
    expect(outcomes).toStrictEqual([true, false]);
  });

  it('gives up a call when the first that it decides has waited long enough', async () => {
    const { ledger, queue } = openQueue();
    const first = queue.admit(request('a', 1));
    await nextTurn();
    const longest = queue.admit(request('a', 2));
    await vi.advanceTimersByTimeAsync(60);
    const shorter = queue.admit(request('a', 3));
    ledger.turn(0)[0]?.answer();
    await first;
    await nextTurn();
    expect(ledger.turn(1)[0]?.call.costs).toHaveLength(2);
    const decided = vi.fn<() => void>();
    void longest.then(decided);
    await vi.advanceTimersByTimeAsync(50);
    expect(decided).toHaveBeenCalledExactlyOnceWith({ outcome: 'unavailable' });
    expect(await shorter).toStrictEqual({ outcome: 'unavailable' });
  });

  it('never sends what has waited too long, and says nothing of the store for it', async () => {
    let now = 0;
    const ledger = new HeldLedger();
    const failed = vi.fn<() => void>();
    const queue = new AdmissionQueue({
      ledger,
      deadlineMs: 100,
      now: () => now,
      onAnswered: () => undefined,
      onFailed: failed,
    });
    const old = queue.admit(request('a', 1));
    // The process was busy with something else.
    now = 100;
    const fresh = queue.admit(request('a', 2));
    await nextTurn();
    expect(await old).toStrictEqual({ outcome: 'unavailable' });
    expect(ledger.turn(0)[0]?.call.costs.map(({ tokens }) => tokens)).toStrictEqual([2]);
    ledger.turn(0)[0]?.answer();
    expect(await fresh).toMatchObject({ outcome: 'admitted' });
    expect(failed).not.toHaveBeenCalled();
    expect(queue.unanswered).toBe(0);
  });

  it('never sends what a caller asked for that has gone', async () => {
    const { ledger, queue } = openQueue();
    const caller = { gone: false };
    const abandoned = queue.admit(request('a', 1), caller);
    const other = queue.admit(request('b', 2), { gone: false });
    caller.gone = true;
    await nextTurn();
    expect(ledger.turn(0).map(({ call }) => call.organization)).toStrictEqual(['b']);
    ledger.turn(0)[0]?.answer();
    expect(await other).toMatchObject({ outcome: 'admitted' });
    expect(await abandoned).toStrictEqual({ outcome: 'unavailable' });
    const again = queue.admit(request('a', 3));
    await nextTurn();
    ledger.turn(1)[0]?.answer();
    expect(await again).toMatchObject({ outcome: 'admitted' });
  });

  it.each([
    ['an answer', 'answer'],
    ['a failure', 'fail'],
  ] as const)('ignores %s that comes too late, and serves the organization on', async (_, end) => {
    const { ledger, outcomes, queue } = openQueue();
    const late = queue.admit(request('a', 1));
    await nextTurn();
    await vi.advanceTimersByTimeAsync(110);
    expect(await late).toStrictEqual({ outcome: 'unavailable' });
    const next = queue.admit(request('a', 2));
    await nextTurn();
    ledger.turn(0)[0]?.[end]();
    ledger.turn(1)[0]?.answer();
    expect(await next).toMatchObject({ outcome: 'admitted', decidedAtMs: 2 });
    expect(outcomes).toStrictEqual([false, true]);
    expect(queue.unanswered).toBe(0);
  });

  it('splits a flood into calls that do not hold the store for long', async () => {
    const { ledger, queue } = openQueue();
    const answers = Array.from({ length: 600 }, (_, index) => queue.admit(request('a', index)));
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      ledger.turn(turn)[0]?.answer();
    }
    const decided = await Promise.all(answers);
    expect(ledger.turns.map((turn) => turn[0]?.call.costs.length)).toStrictEqual([256, 256, 88]);
    expect(decided[599]).toMatchObject({ decidedAtMs: 599 });
  });

  it('sends no more at once for what it leaves out', async () => {
    const { ledger, queue } = openQueue();
    for (let index = 0; index < 600; index += 1) {
      void queue.admit(request('a', index), { gone: index < 100 });
    }
    await nextTurn();
    expect(ledger.turn(0)[0]?.call.costs.map(({ tokens }) => tokens)).toStrictEqual(
      Array.from({ length: 256 }, (_, index) => 100 + index),
    );
  });

  it('turns away what exceeds its capacity', async () => {
    const { ledger, queue } = openQueue({ capacity: 2 });
    const taken = [queue.admit(request('a', 1)), queue.admit(request('b', 2))];
    expect(await queue.admit(request('c', 3))).toStrictEqual({ outcome: 'unavailable' });
    await nextTurn();
    for (const { answer } of ledger.turn(0)) answer();
    expect(await Promise.all(taken)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'admitted' },
    ]);
    expect(queue.decided).toStrictEqual({ admitted: 2, refused: 0, unavailable: 1 });
  });
  it('counts no look at what is left, whether or not it is answered', async () => {
    const { ledger, queue } = openQueue({ capacity: 2 });
    const look = { ...request('a', 0), requests: 0 };
    const answers = [queue.admit(look), queue.admit({ ...look, requests: 1 }), queue.admit(look)];
    await nextTurn();
    for (const { answer } of ledger.turn(0)) answer();
    expect(await Promise.all(answers)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'admitted' },
      { outcome: 'unavailable' },
    ]);
    expect(queue.decided).toStrictEqual({ admitted: 1, refused: 0, unavailable: 0 });
  });

  describe('without a connection to the store', () => {
    it('holds what was not sent, and sends it when there is one again', async () => {
      const { ledger, outcomes, queue } = openQueue();
      ledger.canSend = false;
      const answers = [request('a', 1), request('b', 2)].map((ask) => queue.admit(ask));
      await vi.advanceTimersByTimeAsync(50);
      answers.push(queue.admit(request('a', 3)));
      await vi.advanceTimersByTimeAsync(30);
      expect(ledger.turns).toHaveLength(0);
      ledger.canSend = true;
      queue.resume();
      await nextTurn();
      expect(ledger.turn(0).map(({ call }) => call.costs.map(({ tokens }) => tokens))).toEqual([
        [1, 3],
        [2],
      ]);
      for (const { answer } of ledger.turn(0)) answer();
      expect(await Promise.all(answers)).toMatchObject([
        { decidedAtMs: 1 },
        { decidedAtMs: 2 },
        { decidedAtMs: 3 },
      ]);
      await vi.advanceTimersByTimeAsync(500);
      expect(outcomes).toEqual([true, true]);
      expect(queue.unanswered).toBe(0);
    });

    it('answers each unavailable at its own deadline, and never sends it', async () => {
      const { ledger, outcomes, queue } = openQueue();
      ledger.canSend = false;
      const early = queue.admit(request('a', 1));
      await vi.advanceTimersByTimeAsync(60);
      const late = queue.admit(request('a', 2));
      await vi.advanceTimersByTimeAsync(50);
      expect(await early).toStrictEqual({ outcome: 'unavailable' });
      expect(outcomes).toEqual([false]);
      ledger.canSend = true;
      queue.resume();
      await nextTurn();
      expect(ledger.turn(0)[0]?.call.costs.map(({ tokens }) => tokens)).toEqual([2]);
      ledger.turn(0)[0]?.answer();
      expect(await late).toMatchObject({ decidedAtMs: 2 });
    });

    it('gives up what was sent before it was lost, and holds what waited behind that', async () => {
      const { ledger, queue } = openQueue();
      const sent = queue.admit(request('a', 1));
      await nextTurn();
      const waiting = queue.admit(request('a', 2));
      ledger.canSend = false;
      ledger.turn(0)[0]?.fail();
      expect(await sent).toStrictEqual({ outcome: 'unavailable' });
      await vi.advanceTimersByTimeAsync(50);
      ledger.canSend = true;
      queue.resume();
      await nextTurn();
      expect(ledger.turn(1)[0]?.call.costs.map(({ tokens }) => tokens)).toEqual([2]);
      ledger.turn(1)[0]?.answer();
      expect(await waiting).toMatchObject({ decidedAtMs: 2 });
    });

    it('counts one failure for an admission, though rounding ends its deadline a fraction early', async () => {
      let now = 0.02;
      const ledger = new HeldLedger();
      ledger.canSend = false;
      const failed = vi.fn<() => void>();
      const queue = new AdmissionQueue({
        ledger,
        deadlineMs: 100,
        now: () => now,
        onAnswered: () => undefined,
        onFailed: failed,
      });
      const answer = queue.admit(request('a', 1));
      await nextTurn();
      // 0.02 + 100 is 100.02, and 100.02 - 100 is less than 0.02.
      now = 100.02;
      await vi.advanceTimersByTimeAsync(102);
      expect(queue.unanswered).toBe(1);
      now = 106;
      await vi.advanceTimersByTimeAsync(20);
      expect(await answer).toStrictEqual({ outcome: 'unavailable' });
      expect(failed).toHaveBeenCalledOnce();
    });

    it('sends again what the store says that it did not run', async () => {
      const { ledger, outcomes, queue } = openQueue();
      const answers = [queue.admit(request('a', 1))];
      await nextTurn();
      answers.push(queue.admit(request('a', 2)));
      ledger.canSend = false;
      ledger.turn(0)[0]?.fail(new NothingRanError('no master'));
      await vi.advanceTimersByTimeAsync(50);
      ledger.canSend = true;
      queue.resume();
      await nextTurn();
      expect(ledger.turn(1)[0]?.call.costs.map(({ tokens }) => tokens)).toEqual([1, 2]);
      ledger.turn(1)[0]?.answer();
      expect(await Promise.all(answers)).toMatchObject([{ decidedAtMs: 1 }, { decidedAtMs: 2 }]);
      expect(outcomes).toEqual([true]);
    });

    it('does not send again where it stays connected to a store that runs nothing', async () => {
      const { ledger, queue } = openQueue();
      const answer = queue.admit(request('a', 1));
      await nextTurn();
      ledger.turn(0)[0]?.fail(new NothingRanError('no master'));
      expect(await answer).toStrictEqual({ outcome: 'unavailable' });
      await nextTurn();
      expect(ledger.turns).toHaveLength(1);
    });
  });
});
