/** What was started and may still run, whether or not it has become ready. */
const started = new Set<AsyncDisposable>();
let closed = false;

/** No program is started any more: the run is being broken off. */
class NoMorePrograms extends Error {
  override readonly name = 'NoMorePrograms';
}

/** Asked before each start. */
export function requireStarts(): void {
  if (closed) throw new NoMorePrograms('the run is being broken off');
}

/** Remembers a program until it has ended. */
export function rememberProgram(program: AsyncDisposable, ended: Promise<unknown>): void {
  started.add(program);
  const forget = () => void started.delete(program);
  ended.then(forget, forget);
}

/** Ends what still runs, also what has yet to become ready and is nobody's so far, and lets nothing begin. */
export async function endStartedPrograms(): Promise<void> {
  closed = true;
  await Promise.allSettled([...started].map((program) => program[Symbol.asyncDispose]()));
}
