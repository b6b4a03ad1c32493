/**
 * Ends this process when all that was printed is out. A connection that is still being made would hold
 * it for as long as the other side says nothing.
 */
export async function endProcess(code: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

/** Also when nobody reads any more. */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('error', () => resolve());
  stream.write('', () => resolve());
  await promise;
}
