import { expect, it } from 'vitest';
import { reconnectPace } from './connect-bus.ts';

it('asks for a pause between two attempts, and for none after a pause', () => {
  let now = 5_000;
  const nextPause = reconnectPace(() => now);
  expect(nextPause()).toBe(-Infinity);
  const pauseMs = nextPause();
  expect(pauseMs).toBeGreaterThanOrEqual(100);
  expect(pauseMs).toBeLessThan(200);
  now += pauseMs;
  expect(nextPause()).toBe(-Infinity);
});
