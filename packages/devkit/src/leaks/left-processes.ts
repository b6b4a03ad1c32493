import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** An environment variable that every process of a run inherits; its value is a folder of the run's own. */
export const RUN_MARK = 'SLUICE_TEST_RUN';

const ENDING_MS = 3_000;

/** The processes of a run that outlive it: some end only a moment later, as a `sleep` of a script that was ended. */
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
 * The processes of a run that are alive, as "pid command": those that inherited its mark, and those that
 * work in its folder, since Redis writes its title over its environment. Known on Linux only, where /proc
 * tells.
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
      // It ended while we were reading, or belongs to somebody else.
    }
  }
  return found;
}
