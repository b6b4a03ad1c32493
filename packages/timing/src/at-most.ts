/** Waits for the end of some work, whatever that is, but no longer than so. */
export async function atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  const end = () => resolve();
  work.then(end, end);
  await promise;
  clearTimeout(timer);
}
