import type { AdmissionRequest } from '@sluice/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNLIMITED } from '../../tests/support/calls.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { NotExecutedError, type LimitStore, type StoreCall, type Verdict } from './limit-store.ts';

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
  readonly call: StoreCall;
  readonly answer: () => void;
  readonly fail: (reason?: Error) => void;
}

/** A store that answers on demand. The time of a verdict is its cost, so that a test can identify answers. */
class ManualLimitStore implements LimitStore {
  readonly turns: SentCall[][] = [];
  /** How many calls of a turn are answered. */
  maxAnswers = Infinity;
  canSend = true;

  decide(calls: readonly StoreCall[]): Promise<readonly Verdict[]>[] {
    const turn: SentCall[] = [];
    this.turns.push(turn);
    return calls.slice(0, this.maxAnswers).map((call) => {
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
  const store = new ManualLimitStore();
  const outcomes: boolean[] = [];
  const queue = new AdmissionQueue({
    store,
    deadlineMs: 100,
    clock: () => performance.now(),
    onAnswered: () => outcomes.push(true),
    onFailed: () => outcomes.push(false),
    ...bounds,
  });
  return { store, outcomes, queue };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nextTurn = () => vi.advanceTimersByTimeAsync(1);

describe('the admission queue', () => {
  it('sends the admissions of one turn together: one call for each organization, in order of arrival', async () => {
    const { store, queue } = openQueue();
    const answers = [request('a', 1), request('b', 2), request('a', 3)].map((ask) =>
      queue.admit(ask),
    );
    expect(store.turns).toHaveLength(0);
    await nextTurn();
    expect(store.turns).toHaveLength(1);
    const sent = store.turn(0);
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

  it('has one call of an organization in flight, and sends later admissions together in the next call', async () => {
    const { store, queue } = openQueue();
    const first = queue.admit(request('a', 1));
    await nextTurn();
    const meanwhile = [2, 3, 4].map((tokens) => queue.admit(request('a', tokens)));
    void queue.admit(request('b', 9));
    await nextTurn();
    expect(store.turn(1).map(({ call }) => call.organization)).toStrictEqual(['b']);
    store.turn(0)[0]?.answer();
    await first;
    await nextTurn();
    expect(store.turn(2)[0]?.call.costs.map(({ tokens }) => tokens)).toStrictEqual([2, 3, 4]);
    store.turn(2)[0]?.answer();
    expect(await Promise.all(meanwhile)).toHaveLength(3);
  });

  it('removes the queues of idle organizations when there are many, and keeps busy ones', async () => {
    const { store, queue } = openQueue({ keptQueues: 2 });
    const first = queue.admit(request('a', 1));
    const idle = queue.admit(request('b', 2));
    await nextTurn();
    store.turn(0)[1]?.answer();
    await idle;
    expect(queue.organizations).toBe(2);
    const others = ['c', 'd', 'b'].map((organization) => queue.admit(request(organization, 3)));
    expect(queue.organizations).toBe(4);
    const second = queue.admit(request('a', 4));
    await nextTurn();
    expect(store.turn(1).map(({ call }) => call.organization)).toStrictEqual(['c', 'd', 'b']);
    for (const { answer } of [...store.turn(0), ...store.turn(1)]) answer();
    await Promise.all([first, ...others]);
    await nextTurn();
    expect(store.turn(2).map(({ call }) => call.organization)).toStrictEqual(['a']);
    store.turn(2)[0]?.answer();
    expect(await second).toMatchObject({ decidedAtMs: 4 });
    expect(queue.unanswered).toBe(0);
    void queue.admit(request('e', 5));
    expect(queue.organizations).toBe(1);
  });

  it('sends a batch with the newest limits among its admissions', async () => {
    const { store, queue } = openQueue();
    for (const sequence of [2, 3, 1]) void queue.admit(request('a', 1, sequence));
    await nextTurn();
    expect(store.turn(0)[0]?.call).toMatchObject({
      revision: { epoch: 1, sequence: 3 },
      limits: { requests_per_minute: 3 },
    });
  });

  it('prefers limits of a higher epoch, whatever their sequence', async () => {
    const { store, queue } = openQueue();
    for (const epoch of [1, 2, 1]) {
      const revision = { epoch, sequence: epoch === 2 ? 1 : 9 };
      void queue.admit({ ...request('a', 1), revision });
    }
    await nextTurn();
    expect(store.turn(0)[0]?.call).toMatchObject({ revision: { epoch: 2, sequence: 1 } });
  });

  it('answers unavailable if the store fails, and reports one failure for each call', async () => {
    const { store, outcomes, queue } = openQueue();
    const answers = [queue.admit(request('a', 1)), queue.admit(request('a', 2))];
    await nextTurn();
    store.turn(0)[0]?.fail();
    expect(await Promise.all(answers)).toStrictEqual([
      { outcome: 'unavailable' },
      { outcome: 'unavailable' },
    ]);
    expect(outcomes).toStrictEqual([false]);
    expect(queue.unanswered).toBe(0);
  });

  it('treats a call without an answer as failed, and continues to serve the organization', async () => {
    const { store, outcomes, queue } = openQueue();
    store.maxAnswers = 1;
    const answers = [queue.admit(request('a', 1)), queue.admit(request('b', 2))];
    await nextTurn();
    store.turn(0)[0]?.answer();
    expect(await Promise.all(answers)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'unavailable' },
    ]);
    expect(outcomes).toStrictEqual([false, true]);
    expect(queue.unanswered).toBe(0);
    const next = queue.admit(request('b', 3));
    await nextTurn();
    store.turn(1)[0]?.answer();
    expect(await next).toMatchObject({ outcome: 'admitted' });
  });

  it('gives up a silent store after the deadline, and never sends the admissions that waited behind it', async () => {
    const { store, outcomes, queue } = openQueue();
    const sent = queue.admit(request('a', 1));
    await nextTurn();
    await vi.advanceTimersByTimeAsync(60);
    const behind = queue.admit(request('a', 2));
    await vi.advanceTimersByTimeAsync(50);
    expect(await sent).toStrictEqual({ outcome: 'unavailable' });
    expect(await behind).toStrictEqual({ outcome: 'unavailable' });
    expect(outcomes).toStrictEqual([false]);
    expect(store.turns).toHaveLength(1);
  });

  it('counts the time in the queue: an admission behind a slow call has only the rest of its deadline', async () => {
    const { store, outcomes, queue } = openQueue();
    const first = queue.admit(request('a', 1));
    await nextTurn();
    await vi.advanceTimersByTimeAsync(5);
    const second = queue.admit(request('a', 2));
    await vi.advanceTimersByTimeAsync(80);
    store.turn(0)[0]?.answer();
    expect(await first).toMatchObject({ outcome: 'admitted' });
    await nextTurn();
    expect(store.turns).toHaveLength(2);
    const decided = vi.fn<() => void>();
    void second.then(decided);
    await vi.advanceTimersByTimeAsync(30);
    expect(decided).toHaveBeenCalledExactlyOnceWith({ outcome: 'unavailable' });
    expect(outcomes).toStrictEqual([true, false]);
  });

  it('gives up a call at the deadline of its oldest admission', async () => {
    const { store, queue } = openQueue();
    const first = queue.admit(request('a', 1));
    await nextTurn();
    const longest = queue.admit(request('a', 2));
    await vi.advanceTimersByTimeAsync(60);
    const shorter = queue.admit(request('a', 3));
    store.turn(0)[0]?.answer();
    await first;
    await nextTurn();
    expect(store.turn(1)[0]?.call.costs).toHaveLength(2);
    const decided = vi.fn<() => void>();
    void longest.then(decided);
    await vi.advanceTimersByTimeAsync(50);
    expect(decided).toHaveBeenCalledExactlyOnceWith({ outcome: 'unavailable' });
    expect(await shorter).toStrictEqual({ outcome: 'unavailable' });
  });

  it('never sends an admission after its deadline, and reports no failure of the store for it', async () => {
    let now = 0;
    const store = new ManualLimitStore();
    const failed = vi.fn<() => void>();
    const queue = new AdmissionQueue({
      store,
      deadlineMs: 100,
      clock: () => now,
      onAnswered: () => undefined,
      onFailed: failed,
    });
    const old = queue.admit(request('a', 1));
    // As if the event loop had been blocked.
    now = 100;
    const fresh = queue.admit(request('a', 2));
    await nextTurn();
    expect(await old).toStrictEqual({ outcome: 'unavailable' });
    expect(store.turn(0)[0]?.call.costs.map(({ tokens }) => tokens)).toStrictEqual([2]);
    store.turn(0)[0]?.answer();
    expect(await fresh).toMatchObject({ outcome: 'admitted' });
    expect(failed).not.toHaveBeenCalled();
    expect(queue.unanswered).toBe(0);
  });

  it('never sends an admission whose caller has disconnected', async () => {
    const { store, queue } = openQueue();
    const caller = { gone: false };
    const abandoned = queue.admit(request('a', 1), caller);
    const other = queue.admit(request('b', 2), { gone: false });
    caller.gone = true;
    await nextTurn();
    expect(store.turn(0).map(({ call }) => call.organization)).toStrictEqual(['b']);
    store.turn(0)[0]?.answer();
    expect(await other).toMatchObject({ outcome: 'admitted' });
    expect(await abandoned).toStrictEqual({ outcome: 'unavailable' });
    const again = queue.admit(request('a', 3));
    await nextTurn();
    store.turn(1)[0]?.answer();
    expect(await again).toMatchObject({ outcome: 'admitted' });
  });

  it.each([
    ['an answer', 'answer'],
    ['a failure', 'fail'],
  ] as const)('ignores %s that is too late, and still serves the organization', async (_, end) => {
    const { store, outcomes, queue } = openQueue();
    const late = queue.admit(request('a', 1));
    await nextTurn();
    await vi.advanceTimersByTimeAsync(110);
    expect(await late).toStrictEqual({ outcome: 'unavailable' });
    const next = queue.admit(request('a', 2));
    await nextTurn();
    store.turn(0)[0]?.[end]();
    store.turn(1)[0]?.answer();
    expect(await next).toMatchObject({ outcome: 'admitted', decidedAtMs: 2 });
    expect(outcomes).toStrictEqual([false, true]);
    expect(queue.unanswered).toBe(0);
  });

  it('splits many admissions into calls of limited size', async () => {
    const { store, queue } = openQueue();
    const answers = Array.from({ length: 600 }, (_, index) => queue.admit(request('a', index)));
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      store.turn(turn)[0]?.answer();
    }
    const decided = await Promise.all(answers);
    expect(store.turns.map((turn) => turn[0]?.call.costs.length)).toStrictEqual([256, 256, 88]);
    expect(decided[599]).toMatchObject({ decidedAtMs: 599 });
  });

  it('fills a call up to its maximum size when it leaves out disconnected callers', async () => {
    const { store, queue } = openQueue();
    for (let index = 0; index < 600; index += 1) {
      void queue.admit(request('a', index), { gone: index < 100 });
    }
    await nextTurn();
    expect(store.turn(0)[0]?.call.costs.map(({ tokens }) => tokens)).toStrictEqual(
      Array.from({ length: 256 }, (_, index) => 100 + index),
    );
  });

  it('rejects admissions above its capacity', async () => {
    const { store, queue } = openQueue({ capacity: 2 });
    const taken = [queue.admit(request('a', 1)), queue.admit(request('b', 2))];
    expect(await queue.admit(request('c', 3))).toStrictEqual({ outcome: 'unavailable' });
    await nextTurn();
    for (const { answer } of store.turn(0)) answer();
    expect(await Promise.all(taken)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'admitted' },
    ]);
    expect(queue.decided).toStrictEqual({ admitted: 2, refused: 0, unavailable: 1 });
  });
  it('does not count peeks, whether or not they are answered', async () => {
    const { store, queue } = openQueue({ capacity: 2 });
    const look = { ...request('a', 0), requests: 0 };
    const answers = [queue.admit(look), queue.admit({ ...look, requests: 1 }), queue.admit(look)];
    await nextTurn();
    for (const { answer } of store.turn(0)) answer();
    expect(await Promise.all(answers)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'admitted' },
      { outcome: 'unavailable' },
    ]);
    expect(queue.decided).toStrictEqual({ admitted: 1, refused: 0, unavailable: 0 });
  });

  describe('without a connection to the store', () => {
    it('holds unsent admissions, and sends them after a reconnect', async () => {
      const { store, outcomes, queue } = openQueue();
      store.canSend = false;
      const answers = [request('a', 1), request('b', 2)].map((ask) => queue.admit(ask));
      await vi.advanceTimersByTimeAsync(50);
      answers.push(queue.admit(request('a', 3)));
      await vi.advanceTimersByTimeAsync(30);
      expect(store.turns).toHaveLength(0);
      store.canSend = true;
      queue.resume();
      await nextTurn();
      expect(store.turn(0).map(({ call }) => call.costs.map(({ tokens }) => tokens))).toEqual([
        [1, 3],
        [2],
      ]);
      for (const { answer } of store.turn(0)) answer();
      expect(await Promise.all(answers)).toMatchObject([
        { decidedAtMs: 1 },
        { decidedAtMs: 2 },
        { decidedAtMs: 3 },
      ]);
      await vi.advanceTimersByTimeAsync(500);
      expect(outcomes).toEqual([true, true]);
      expect(queue.unanswered).toBe(0);
    });

    it('answers unavailable at the deadline of each admission, and never sends it', async () => {
      const { store, outcomes, queue } = openQueue();
      store.canSend = false;
      const early = queue.admit(request('a', 1));
      await vi.advanceTimersByTimeAsync(60);
      const late = queue.admit(request('a', 2));
      await vi.advanceTimersByTimeAsync(50);
      expect(await early).toStrictEqual({ outcome: 'unavailable' });
      expect(outcomes).toEqual([false]);
      store.canSend = true;
      queue.resume();
      await nextTurn();
      expect(store.turn(0)[0]?.call.costs.map(({ tokens }) => tokens)).toEqual([2]);
      store.turn(0)[0]?.answer();
      expect(await late).toMatchObject({ decidedAtMs: 2 });
    });

    it('gives up the call in flight when the connection is lost, and holds the admissions behind it', async () => {
      const { store, queue } = openQueue();
      const sent = queue.admit(request('a', 1));
      await nextTurn();
      const waiting = queue.admit(request('a', 2));
      store.canSend = false;
      store.turn(0)[0]?.fail();
      expect(await sent).toStrictEqual({ outcome: 'unavailable' });
      await vi.advanceTimersByTimeAsync(50);
      store.canSend = true;
      queue.resume();
      await nextTurn();
      expect(store.turn(1)[0]?.call.costs.map(({ tokens }) => tokens)).toEqual([2]);
      store.turn(1)[0]?.answer();
      expect(await waiting).toMatchObject({ decidedAtMs: 2 });
    });

    it('reports one failure for an admission, even if rounding ends its deadline a fraction early', async () => {
      let now = 0.02;
      const store = new ManualLimitStore();
      store.canSend = false;
      const failed = vi.fn<() => void>();
      const queue = new AdmissionQueue({
        store,
        deadlineMs: 100,
        clock: () => now,
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

    it('sends a call again if the store says that it did not execute it', async () => {
      const { store, outcomes, queue } = openQueue();
      const answers = [queue.admit(request('a', 1))];
      await nextTurn();
      answers.push(queue.admit(request('a', 2)));
      store.canSend = false;
      store.turn(0)[0]?.fail(new NotExecutedError('no master'));
      await vi.advanceTimersByTimeAsync(50);
      store.canSend = true;
      queue.resume();
      await nextTurn();
      expect(store.turn(1)[0]?.call.costs.map(({ tokens }) => tokens)).toEqual([1, 2]);
      store.turn(1)[0]?.answer();
      expect(await Promise.all(answers)).toMatchObject([{ decidedAtMs: 1 }, { decidedAtMs: 2 }]);
      expect(outcomes).toEqual([true]);
    });

    it('does not send a call again while it stays connected to the same store', async () => {
      const { store, queue } = openQueue();
      const answer = queue.admit(request('a', 1));
      await nextTurn();
      store.turn(0)[0]?.fail(new NotExecutedError('no master'));
      expect(await answer).toStrictEqual({ outcome: 'unavailable' });
      await nextTurn();
      expect(store.turns).toHaveLength(1);
    });
  });
});
