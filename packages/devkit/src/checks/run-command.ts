import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a program to its end; what it prints to either stream comes back in one text. */
export async function runCommand(
  root: string,
  program: string,
  ...programArguments: string[]
): Promise<CommandResult> {
  const child = spawn(program, programArguments, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [standardOutput, standardError, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exit,
  ]);
  return { exitCode, output: `${standardOutput}${standardError}`.trim() };
}
