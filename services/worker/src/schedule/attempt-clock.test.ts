import { describe, expect, it } from 'vitest';
import { stalledStage } from './stalled-stage.ts';

const stall = { firstWordMs: 5_000, firstWordWhileDownMs: 1_000, betweenWordsMs: 1_000 };
const LAST_SIGN = 10_000;

interface Situation {
  readonly state?: 'queued' | 'running' | 'ended';
  readonly stopped?: boolean;
  readonly preparing?: boolean;
  readonly speaking?: boolean;
  readonly mayCall?: boolean;
  readonly answered?: boolean;
  readonly downSince?: number;
}

/** What is said of an attempt whose last sign is so long ago. */
function after(
  silentMs: number,
  { state = 'running', stopped = false, downSince, ...situation }: Situation,
) {
  const silent = {
    preparing: false,
    speaking: false,
    mayCall: false,
    answered: false,
    lastSignAt: LAST_SIGN,
  };
  const progress = { ...silent, ...situation };
  const patience = { stall, downSince: () => downSince };
  return stalledStage({ state, stopped, progress }, LAST_SIGN + silentMs, patience);
}

describe('a runtime has stalled', () => {
  it('when its first word takes too long: the prompt is being read meanwhile', () => {
    expect(after(4_999, {})).toBeUndefined();
    expect(after(5_000, {})).toBe('first_word');
  });

  it('sooner when it has begun to speak', () => {
    expect(after(999, { speaking: true })).toBeUndefined();
    expect(after(1_000, { speaking: true })).toBe('between_words');
  });

  it('no sooner where it may be making a call, which some send whole', () => {
    expect(after(4_999, { speaking: true, mayCall: true })).toBeUndefined();
    expect(after(5_000, { speaking: true, mayCall: true })).toBe('between_words');
    expect(after(4_999, { mayCall: true })).toBeUndefined();
    expect(after(5_000, { mayCall: true })).toBe('first_word');
  });

  it('then, too, when it has been down for as long as it may be silent without calls', () => {
    const downSince = LAST_SIGN + 2_500;
    const calling = { speaking: true, mayCall: true, downSince };
    expect(after(3_499, calling)).toBeUndefined();
    expect(after(3_500, calling)).toBe('between_words');
  });

  it('sooner too while it is known to be down, counted from then', () => {
    const downSince = LAST_SIGN + 3_000;
    expect(after(3_999, { downSince })).toBeUndefined();
    expect(after(4_000, { downSince })).toBe('first_word');
  });

  it('or from its last sign, when it was down before that', () => {
    const downSince = LAST_SIGN - 60_000;
    expect(after(999, { downSince })).toBeUndefined();
    expect(after(1_000, { downSince })).toBe('first_word');
  });

  it('never while its request is prepared: the runtime has not been asked', () => {
    expect(after(60_000, { preparing: true, downSince: LAST_SIGN })).toBeUndefined();
  });

  it('never with an answer that is complete but for its usage', () => {
    expect(after(20_000, { speaking: true, answered: true })).toBeUndefined();
  });

  it.each([{ state: 'queued' }, { state: 'ended' }, { stopped: true }] as const)(
    'never with an attempt that does not run: %o',
    (situation) => {
      expect(after(20_000, situation)).toBeUndefined();
    },
  );
});
