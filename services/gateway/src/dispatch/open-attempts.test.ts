import { SILENCE_LIMIT_MS, encodeFrames, readFrames } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { OpenAttempts } from './attempt-table.ts';
import type { Attempt } from './attempt.ts';
import { accepted, attemptOf, started } from './dispatch-fixture.ts';

/** Shortly after the silence limit, so that either limit can be reached first. */
const LIMIT_MS = SILENCE_LIMIT_MS + 4_000;

class Time {
  now = 0;
  readonly read = () => this.now;
}

function createAttempt(time: Time, { name = 'request', worker = 'a' } = {}): Attempt {
  return attemptOf({ name, worker, clock: time.read, limitMs: LIMIT_MS }).attempt;
}

/** Two equal attempts: `watched` is checked by OpenAttempts, `compared` at every step. */
class Twins {
  readonly watched: Attempt;
  readonly compared: Attempt;
  readonly #ends: Record<'watched' | 'compared', string[]> = { watched: [], compared: [] };
  #sent = 0;

  constructor(time: Time, name: string) {
    this.watched = createAttempt(time, { name });
    this.compared = createAttempt(time, { name });
    for (const one of ['watched', 'compared'] as const) {
      void this[one].ended.then(({ kind }) => this.#ends[one].push(`${kind} at ${time.now}`));
    }
  }

  /** How and when both attempts ended. */
  get ends(): Readonly<Record<'watched' | 'compared', readonly string[]>> {
    return this.#ends;
  }

  /** Sends the next frame to both. The first frame accepts them. */
  receiveFrame(): void {
    const message = encodeFrames(this.#sent, [this.#sent === 0 ? accepted() : started()]);
    for (const { onFrame } of [this.watched, this.compared]) readFrames(message, onFrame);
    this.#sent += 1;
  }
}

describe('the workers of open attempts', () => {
  test('are the workers with at least one', () => {
    const time = new Time();
    const open = new OpenAttempts();
    for (const [name, worker] of [
      ['request-1', 'a'],
      ['request-2', 'a'],
      ['request-3', 'b'],
    ] as const) {
      open.add(createAttempt(time, { name, worker }), time.now);
    }
    expect(open.workers()).toEqual(new Set(['a', 'b']));
    open.delete('request-1');
    open.delete('request-1');
    open.delete('request-3');
    expect(open.workers()).toEqual(new Set(['a']));
    open.delete('request-2');
    expect(open.workers()).toEqual(new Set());
  });
});

describe('a check of all times', () => {
  test('checks no attempt before one can be due', () => {
    const time = new Time();
    const open = new OpenAttempts();
    const attempt = createAttempt(time);
    const checkTime = vi.spyOn(attempt, 'checkTime');
    open.add(attempt, time.now);
    open.checkTimes(SILENCE_LIMIT_MS - 1);
    expect(checkTime).not.toHaveBeenCalled();
    open.checkTimes(SILENCE_LIMIT_MS);
    expect(checkTime).toHaveBeenCalledTimes(1);
    open.checkTimes(LIMIT_MS - 1);
    expect(checkTime).toHaveBeenCalledTimes(1);
  });

  const steps = fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 250, 1_000, 2_000, 3_000),
      happens: fc.constantFrom<'check' | 'arrival' | number>('check', 'check', 'arrival', 0, 1, 2),
    }),
    { minLength: 20, maxLength: 60, size: 'max' },
  );

  test('ends each attempt at the same time as checking all of them would', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (chosen) => {
        const time = new Time();
        const open = new OpenAttempts();
        const all: Twins[] = [];
        for (const { afterMs, happens } of chosen) {
          time.now += afterMs;
          if (typeof happens === 'number') all[happens]?.receiveFrame();
          else if (happens === 'arrival') {
            const twins = new Twins(time, `request-${all.length}`);
            all.push(twins);
            open.add(twins.watched, time.now);
            void twins.watched.ended.then(() => open.delete(twins.watched.name));
          } else {
            open.checkTimes(time.now);
            for (const { compared } of all) compared.checkTime(time.now);
          }
          await new Promise(setImmediate);
        }
        for (const { ends } of all) expect(ends.watched).toEqual(ends.compared);
      }),
      { numRuns: 300 },
    );
  });
});
