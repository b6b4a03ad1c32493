import { setTimeout as delay } from 'node:timers/promises';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import type { LoadOrder, LoadState } from './load-order.ts';

/** Makes HTTP requests to a contestant from a process of its own. */
export interface LoadGenerator extends Driver<LoadOrder, LoadState> {
  /** Returns when so many replies have begun, or failed, or the time is over. */
  begun(count: number, timeoutMs: number): Promise<void>;
}

const LOOK_EVERY_MS = 50;

export function startLoadGenerator(): LoadGenerator {
  const driver = startDriver<LoadOrder, LoadState>(
    new URL('generator-process.ts', import.meta.url),
  );
  return {
    ...driver,
    begun: async (count, timeoutMs) => {
      const giveUpAt = performance.now() + timeoutMs;
      while (performance.now() < giveUpAt) {
        const { begun, failed } = await driver.look();
        if (begun + failed >= count) return;
        await delay(LOOK_EVERY_MS);
      }
    },
  };
}
