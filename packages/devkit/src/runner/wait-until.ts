import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, for the error message: "the worker to be ready". */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

type Truthy<Value> = Value & Exclude<Value, false | null | undefined | 0 | ''>;

/**
 * Calls the condition repeatedly until it returns a truthy value, and returns that value. If the condition throws, it is
 * called again. After the timeout, the error of the last call is the cause of the failure.
 */
export async function waitUntil<Value>(
  condition: () => Value | Promise<Value>,
  { what, timeoutMs = 10_000, everyMs = 20 }: WaitOptions,
): Promise<Truthy<Awaited<Value>>> {
  const giveUpAt = performance.now() + timeoutMs;
  let thrown: unknown;
  while (true) {
    try {
      const value = await condition();
      thrown = undefined;
      if (holds(value)) return value;
    } catch (error) {
      thrown = error;
    }
    if (performance.now() >= giveUpAt) {
      throw new Error(`timed out after ${timeoutMs} ms, waiting for ${what}`, { cause: thrown });
    }
    await delay(everyMs);
  }
}

function holds<Value>(value: Value): value is Truthy<Value> {
  return Boolean(value);
}
