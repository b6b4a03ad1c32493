import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { HammerOrder, HammerReport } from './hammer-client.ts';

export interface Hammer extends AsyncDisposable {
  /** Sends each process its order. Resolves with the reports of the processes that were not killed. */
  run(orderOf: (index: number) => HammerOrder): Promise<HammerReport[]>;
  /** Kills one process, like a crash. */
  kill(index: number): void;
}

export async function startHammer(processes: number): Promise<Hammer> {
  const children: ChildProcess[] = Array.from({ length: processes }, () =>
    fork(new URL('hammer-client.ts', import.meta.url)),
  );
  const exits = children.map((child) => once(child, 'exit'));
  await Promise.all(children.map((child) => once(child, 'message')));
  return {
    run: async (orderOf) => {
      const reports: HammerReport[] = [];
      for (const [index, child] of children.entries()) {
        child.once('message', (report: HammerReport) => reports.push(report));
        child.send(orderOf(index));
      }
      await Promise.all(exits);
      return reports;
    },
    kill: (index) => void children[index]?.kill('SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(exits);
    },
  };
}
