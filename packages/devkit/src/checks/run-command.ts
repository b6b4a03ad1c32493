import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/**
 * How many threads a tool may use. Several checks run at once, and each thread of the compiler and of the lint checks the
 * shared types again: on two cores, a third of their CPU time went into that.
 */
export const TOOL_THREADS = Math.max(1, Math.floor(availableParallelism() / 2));

const running = new Set<ChildProcess>();

/** Ends the programs that run, and the processes that they started. */
export function endCommands(): void {
  for (const { pid } of running) {
    // Each program was started as the leader of a process group. A negative pid addresses the whole group.
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  }
}

/** Runs a program to its end. Its standard output and standard error are returned in one text. */
export async function runCommand(
  root: string,
  program: string,
  ...programArguments: string[]
): Promise<CommandResult> {
  const child = spawn(program, programArguments, {
    cwd: root,
    // The compiler and the lint are written in Go.
    env: { ...process.env, GOMAXPROCS: String(TOOL_THREADS) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => running.delete(child));
  const [standardOutput, standardError, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exit,
  ]);
  return { exitCode, output: `${standardOutput}${standardError}`.trim() };
}
