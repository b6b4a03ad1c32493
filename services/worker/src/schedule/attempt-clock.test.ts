import { describe, expect, it } from 'vitest';
import { stalledStage } from './attempt-clock.ts';

const stall = { firstTokenMs: 5_000, firstTokenWhileDownMs: 1_000, interTokenMs: 1_000 };
const LAST_ACTIVITY = 10_000;

interface Situation {
  readonly state?: 'queued' | 'running' | 'ended';
  readonly stopped?: boolean;
  readonly preparing?: boolean;
  readonly hasOutput?: boolean;
  readonly mayContainToolCall?: boolean;
  readonly answered?: boolean;
  readonly downSince?: number;
}

/** The stall stage of an attempt whose last activity was this long ago. */
function after(
  silentMs: number,
  { state = 'running', stopped = false, downSince, ...situation }: Situation,
) {
  const silent = {
    preparing: false,
    hasOutput: false,
    mayContainToolCall: false,
    answered: false,
    lastActivityAt: LAST_ACTIVITY,
  };
  const progress = { ...silent, ...situation };
  const timeouts = { stall, downSince: () => downSince };
  return stalledStage({ state, stopped, progress }, LAST_ACTIVITY + silentMs, timeouts);
}

describe('a runtime has stalled', () => {
  it('when its first token takes too long', () => {
    expect(after(4_999, {})).toBeUndefined();
    expect(after(5_000, {})).toBe('first_word');
  });

  it('after a shorter time once it has sent output', () => {
    expect(after(999, { hasOutput: true })).toBeUndefined();
    expect(after(1_000, { hasOutput: true })).toBe('between_words');
  });

  it('after the longer time if the output may contain a call, which some runtimes send whole', () => {
    expect(after(4_999, { hasOutput: true, mayContainToolCall: true })).toBeUndefined();
    expect(after(5_000, { hasOutput: true, mayContainToolCall: true })).toBe('between_words');
    expect(after(4_999, { mayContainToolCall: true })).toBeUndefined();
    expect(after(5_000, { mayContainToolCall: true })).toBe('first_word');
  });

  it('after the shorter time since it went down, even if the output may contain a call', () => {
    const downSince = LAST_ACTIVITY + 2_500;
    const calling = { hasOutput: true, mayContainToolCall: true, downSince };
    expect(after(3_499, calling)).toBeUndefined();
    expect(after(3_500, calling)).toBe('between_words');
  });

  it('before its first token, after a shorter time since it went down', () => {
    const downSince = LAST_ACTIVITY + 3_000;
    expect(after(3_999, { downSince })).toBeUndefined();
    expect(after(4_000, { downSince })).toBe('first_word');
  });

  it('after a shorter time since its last activity, if it went down before that', () => {
    const downSince = LAST_ACTIVITY - 60_000;
    expect(after(999, { downSince })).toBeUndefined();
    expect(after(1_000, { downSince })).toBe('first_word');
  });

  it('never while the request is being prepared', () => {
    expect(after(60_000, { preparing: true, downSince: LAST_ACTIVITY })).toBeUndefined();
  });

  it('never after an answer that lacks only its usage', () => {
    expect(after(20_000, { hasOutput: true, answered: true })).toBeUndefined();
  });

  it.each([{ state: 'queued' }, { state: 'ended' }, { stopped: true }] as const)(
    'never for an attempt that does not run: %o',
    (situation) => {
      expect(after(20_000, situation)).toBeUndefined();
    },
  );
});
