import { spawn } from 'node:child_process';

export interface ProgramOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a program in the foreground and gives its exit code; a signal that would end us ends it first. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  { cwd, environment }: ProgramOptions,
): Promise<number> {
  const child = spawn(program, parameters, { cwd, env: environment, stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? 1));
  try {
    return await promise;
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}
