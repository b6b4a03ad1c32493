import { describe, expect, it } from 'vitest';
import { FAILURE_REASONS, Failed, Finished, Refused } from './frame-bodies.ts';

const load = { slots: 4, running: 1, queued: 0, queue_limit: 8 };

describe('the body of a frame', () => {
  it('may have fields that are not known here', () => {
    expect(Refused.parse({ reason: 'a newer reason', load })).toEqual({
      reason: 'a newer reason',
      load,
    });
    expect(Failed.parse({ reason: 'a newer reason', retryable: true, more: 1 })).toEqual({
      reason: 'a newer reason',
      retryable: true,
    });
  });

  it('ends an answer by one of four reasons only', () => {
    expect(Finished.safeParse({ finish_reason: 'stop', load }).success).toBe(true);
    expect(Finished.safeParse({ finish_reason: 'eos', load }).success).toBe(false);
  });

  it('lists each failure once', () => {
    expect(new Set(FAILURE_REASONS).size).toBe(FAILURE_REASONS.length);
  });
});
