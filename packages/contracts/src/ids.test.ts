import { describe, expect, it } from 'vitest';
import {
  BASE62,
  mintCallId,
  mintCompletionId,
  mintProcessId,
  randomBase62,
  runtimeCallId,
} from './ids.ts';

describe('random text', () => {
  it('has every character as often as any other', () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62 * 5_000)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted().join('')).toBe(BASE62);
    // 500 is seven standard deviations. Without discarding large bytes, some counts would be off by twice as much.
    for (const count of counts.values()) expect(Math.abs(count - 5_000)).toBeLessThan(500);
  });
});

describe('an id', () => {
  it('shows its kind', () => {
    expect(mintCompletionId()).toMatch(/^chatcmpl-[0-9A-Za-z]{29}$/);
    expect(mintProcessId()).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(mintCallId(true)).toMatch(/^call_r[0-9A-Za-z]{24}$/);
    expect(mintCallId(false)).toMatch(/^call_n[0-9A-Za-z]{24}$/);
  });
});

describe('an id of a tool call', () => {
  it.each(['a1B2c3D4e', 'functions.get_time:0', 'chatcmpl-tool-6f', 'call_r12345', 'x'.repeat(80)])(
    'holds the id that the runtime gave, and gives it back: %s',
    (runtimeId) => {
      for (const withReasoning of [true, false]) {
        const id = mintCallId(withReasoning, runtimeId);
        expect(id).toBe(`${withReasoning ? 'call_r' : 'call_n'}${runtimeId}`);
        expect(runtimeCallId(id)).toBe(runtimeId);
      }
    },
  );

  it.each(['', '0', 'call_123', 'x'.repeat(81), 'nine char', 'über-lang', 'a1B2c3D4e\n'])(
    'holds no runtime id that is a counter, or that some client cannot carry: %j',
    (runtimeId) => {
      expect(mintCallId(false, runtimeId)).toMatch(/^call_n[0-9A-Za-z]{24}$/);
    },
  );

  it('that Sluice did not create is sent to the runtime unchanged', () => {
    for (const id of ['', 'call_', 'call_n', 'call_r', 'call_x1', 'Call_r1', 'toolu_call_r1']) {
      expect(runtimeCallId(id)).toBe(id);
    }
  });
});
