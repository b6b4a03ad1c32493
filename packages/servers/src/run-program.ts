import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface ForegroundOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** A signal asked this process to end while a program ran. The steps after the program must not start. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program in the foreground and returns its exit code. A signal to end this process is forwarded to the program,
 * and `Interrupted` is thrown when the program has ended.
 */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  { cwd, environment }: ForegroundOptions,
): Promise<number> {
  const child = spawn(program, parameters, { cwd, env: environment, stdio: 'inherit' });
  let interruption: Interrupted | undefined;
  const forward = (signal: NodeJS.Signals) => {
    interruption ??= new Interrupted(signal);
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('exit', (code) => {
    if (interruption === undefined) resolve(code ?? 1);
    else reject(interruption);
  });
  try {
    return await promise;
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}
