import type { Writable } from 'node:stream';
import { EXIT_FAILED } from './command.ts';
import type { StandardOutput } from './standard-output.ts';

/**
 * Ends this process when all that was printed is out. A connection that is still being made would hold
 * it for as long as the other side says nothing.
 */
export async function endProcess(code: number, output: StandardOutput): Promise<never> {
  await Promise.all([output.stream, process.stderr].map(written));
  process.exit(output.failed ? EXIT_FAILED : code);
}

/** Also when nobody reads any more. */
async function written(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('error', () => resolve());
  stream.write('', () => resolve());
  await promise;
}
