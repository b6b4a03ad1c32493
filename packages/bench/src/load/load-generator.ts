import { setTimeout as delay } from 'node:timers/promises';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import type { LoadOptions, LoadState } from './load-options.ts';

/** Makes HTTP requests to a contestant from a separate process. */
export interface LoadGenerator extends Driver<LoadOptions, LoadState> {
  /**
   * Returns when this many replies have begun. Fails at the timeout, because a measurement of fewer open streams would
   * not be comparable.
   */
  begun(count: number, timeoutMs: number): Promise<void>;
}

const CHECK_EVERY_MS = 50;

export function startLoadGenerator(): LoadGenerator {
  const driver = startDriver<LoadOptions, LoadState>(
    new URL('generator-process.ts', import.meta.url),
  );
  return {
    ...driver,
    begun: async (count, timeoutMs) => {
      let reached: LoadState | undefined;
      const giveUpAt = performance.now() + timeoutMs;
      while (performance.now() < giveUpAt) {
        reached = await driver.read();
        if (reached.begun >= count) return;
        await delay(CHECK_EVERY_MS);
      }
      throw new Error(
        `${reached?.begun ?? 0} of ${count} replies had begun after ${timeoutMs / 1_000} s, ${reached?.failed ?? 0} had failed`,
      );
    },
  };
}
