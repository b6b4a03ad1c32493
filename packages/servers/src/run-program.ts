import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface ProgramOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** We were told to end while a program ran: nothing that was to follow it may start. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a program in the foreground and gives its exit code; a signal that would end us ends it first. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  { cwd, environment }: ProgramOptions,
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
