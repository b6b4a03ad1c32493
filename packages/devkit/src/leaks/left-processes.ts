import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** An environment variable that every process of a test run inherits. Its value is the temporary folder of the run. */
export const RUN_MARK = 'SLUICE_TEST_RUN';

/** How long processes may take to end after the run. */
const ENDING_MS = 3_000;

/**
 * Waits for the processes of a run to end, and returns those that remain. Some processes end a moment after the run,
 * such as the `sleep` of a script that was stopped.
 */
export async function processesLeftBehind(folder: string): Promise<string[]> {
  const giveUpAt = performance.now() + ENDING_MS;
  let left = processesOfRun(folder);
  while (left.length > 0 && performance.now() < giveUpAt) {
    await delay(100);
    left = processesOfRun(folder);
  }
  return left;
}

/**
 * The living processes of a run, as "pid command". A process belongs to the run if its environment has the variable of
 * the run, or if its working directory is in the folder of the run. The second rule finds Redis, which overwrites its
 * environment with its title. Without /proc, the list is empty.
 */
export function processesOfRun(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  const found: string[] = [];
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      const marked = environment.includes(`${RUN_MARK}=${folder}`);
      if (!marked && !`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      found.push(`${pid} ${command}`);
    } catch {
      // The process ended while its files were read, or it belongs to another user.
    }
  }
  return found;
}
