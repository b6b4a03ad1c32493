import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentOfPrograms } from './child-program.ts';
import { ROOT } from './repository.ts';

const run = promisify(execFile);

export interface JsonLinesOptions {
  /** The path of a TypeScript file from the root of the repository. */
  readonly file: string;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/** Runs a program to its end, and reads each line of its output as JSON. */
export async function jsonLines({ file, signal }: JsonLinesOptions): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [join(ROOT, file)], {
    env: environmentOfPrograms(),
    signal,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
