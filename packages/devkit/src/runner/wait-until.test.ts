import { expect, test } from 'vitest';
import { waitUntil } from './wait-until.ts';

test('returns the first truthy value', async () => {
  let asked = 0;
  const value = await waitUntil(
    () => {
      asked += 1;
      return asked === 3 ? 'ready' : undefined;
    },
    { what: 'the third question', everyMs: 1 },
  );
  expect(value).toBe('ready');
  expect(asked).toBe(3);
});

test('a condition that throws is called again', async () => {
  let asked = 0;
  const value = await waitUntil(
    async () => {
      asked += 1;
      if (asked < 2) throw new Error('not listening yet');
      return Promise.resolve(true);
    },
    { what: 'an answer', everyMs: 1 },
  );
  expect(value).toBe(true);
});

test('a failure names the condition and the last error', async () => {
  const cause = new Error('connection refused');
  const waiting = waitUntil(() => Promise.reject(cause), {
    what: 'the worker to be ready',
    timeoutMs: 5,
    everyMs: 1,
  });
  await expect(waiting).rejects.toThrow('timed out after 5 ms, waiting for the worker to be ready');
  await expect(waiting).rejects.toMatchObject({ cause });
});
