import { readFileSync, readdirSync } from 'node:fs';

/** An environment variable that every process of a test run inherits, so that none can hide. */
export const RUN_MARK = 'SLUICE_TEST_RUN';

/** The processes that a run left behind, as "pid command". Known on Linux only, where /proc tells. */
export function processesOfRun(mark: string): string[] {
  if (process.platform !== 'linux') return [];
  const found: string[] = [];
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      if (!environment.includes(`${RUN_MARK}=${mark}`)) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      found.push(`${pid} ${command}`);
    } catch {
      // It ended while we were reading, or belongs to somebody else.
    }
  }
  return found;
}
