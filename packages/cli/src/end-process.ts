import type { Writable } from 'node:stream';
import { EXIT_FAILED } from './command.ts';
import type { StandardOutput } from './standard-output.ts';

/**
 * Ends the process after all output is written. Without `process.exit`, a connection attempt that gets no answer would
 * keep the process running.
 */
export async function endProcess(code: number, output: StandardOutput): Promise<never> {
  await Promise.all([output.stream, process.stderr].map(written));
  process.exit(output.failed ? EXIT_FAILED : code);
}

/** Resolves when all earlier writes are done, or when the reader has closed the stream. */
async function written(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('error', () => resolve());
  stream.write('', () => resolve());
  await promise;
}
