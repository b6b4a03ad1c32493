import { readFileSync, readdirSync } from 'node:fs';
import { waitUntil } from '../runner/wait-until.ts';

/** Freezes a process of this machine. Returns when all of its threads are stopped. */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  // Other systems do not show the state of threads. The signal takes effect within a moment.
  if (process.platform !== 'linux') return;
  await waitUntil(() => threadStates(pid).every((state) => state === 'T'), {
    what: `process ${pid} to be stopped`,
    everyMs: 1,
  });
}

function threadStates(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The command is in brackets and may contain brackets.
    return stat.charAt(stat.lastIndexOf(')') + 2);
  });
}
