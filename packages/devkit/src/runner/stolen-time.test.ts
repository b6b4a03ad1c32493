import { describe, expect, it } from 'vitest';
import { parseProcessorTime, stolenShare } from './stolen-time.ts';

const BEFORE = 'cpu  100 0 50 800 10 0 5 35 0 0\ncpu0 50 0 25 400 5 0 2 18 0 0\n';
const AFTER = 'cpu  200 0 50 800 10 0 5 135 0 0\n';

describe('the stolen share', () => {
  it('is the part of the time between two readings that the host took', () => {
    expect(stolenShare(parseProcessorTime(BEFORE), parseProcessorTime(AFTER))).toBe(0.5);
  });

  it('is 0 if the system does not report it', () => {
    expect(parseProcessorTime('intr 1 2 3')).toBeUndefined();
    expect(parseProcessorTime('cpu 1 2 3')).toBeUndefined();
    expect(stolenShare(undefined, parseProcessorTime(AFTER))).toBe(0);
  });

  it('is 0 between two readings of the same moment', () => {
    const time = parseProcessorTime(BEFORE);
    expect(stolenShare(time, time)).toBe(0);
  });
});
