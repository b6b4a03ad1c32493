import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** An environment variable that every process of a run inherits; its value is a folder of the run's own. */
export const RUN_MARK = 'SLUICE_TEST_RUN';

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
