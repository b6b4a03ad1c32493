import { readFileSync, readdirSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/** Freezes a process of this machine; returns when every thread of it stands still. */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  // Elsewhere nothing tells; the signal itself takes no longer than a moment.
  if (process.platform !== 'linux') return;
  await waitUntil(() => threadStates(pid).every((state) => state === 'T'), {
    what: `process ${pid} to stand still`,
    everyMs: 1,
  });
}

function threadStates(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The command stands in brackets and may hold brackets itself.
    return stat.charAt(stat.lastIndexOf(')') + 2);
  });
}
