import type { JsonText } from '../dialect/translate-request.ts';
import type { AttemptFailure } from '../domain/attempt-failure.ts';

/** How a run reaches the runtime. */
export interface RuntimeAccess {
  generate(
    body: JsonText,
    headers: Readonly<Record<string, string>>,
    handlers: GenerationHandlers,
  ): RunningGeneration;
  /** A small question beside the generations. Throws an AttemptFailure unless the answer is JSON with status 200. */
  ask(path: string, question: Question): Promise<unknown>;
}

export interface GenerationHandlers {
  /** The runtime took the request: status 200 and an event stream. */
  onStart(): void;
  onData(bytes: Buffer): void;
  /** The stream has ended. */
  onEnd(): void;
  /** The connection broke. Called once, instead of onEnd. */
  onBreak(failure: AttemptFailure): void;
  /**
   * Called at most once, and nothing after it: the runtime refused, its answer is no event stream, or one of onStart,
   * onData and onEnd threw, and this is what.
   */
  onFailure(failure: AttemptFailure): void;
}

export interface RunningGeneration {
  /** Closes the connection, which is how a runtime learns that nobody listens. No handler is called any more. */
  abort(): void;
}

export interface Question {
  readonly body?: JsonText;
  readonly timeoutMs: number;
}
