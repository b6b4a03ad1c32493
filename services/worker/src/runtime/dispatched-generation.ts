import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { classifyErrorAnswer } from '../dialect/classify-error.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import type { GenerationHandlers, RunningGeneration } from '../run/runtime-access.ts';

/** An answer with another status than 200, as far as it has come. */
interface ErrorAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly parts: Buffer[];
  bytes: number;
}

export const EVENT_STREAM = 'text/event-stream';
const LONGEST_ERROR_BYTES = 64 * 1024;

/**
 * One request without the layers of a response stream: at a chunk per token they would cost more than all
 * that is done with it.
 */
export class DispatchedGeneration implements Dispatcher.DispatchHandler, RunningGeneration {
  readonly #handlers: GenerationHandlers;
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;
  #error: ErrorAnswer | undefined;

  constructor(handlers: GenerationHandlers) {
    this.#handlers = handlers;
  }

  abort(): void {
    this.#over = true;
    this.#controller?.abort(new Error('nobody waits for this generation'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) this.abort();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#over || status < 200) return;
    if (status !== 200) {
      this.#error = { status, retryAfter: headers['retry-after'], parts: [], bytes: 0 };
    } else if (headers['content-type']?.toLowerCase().startsWith(EVENT_STREAM) === true) {
      this.#guard(() => this.#handlers.onStart());
    } else this.#fail(AttemptFailure.unavailable());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    const error = this.#error;
    if (error === undefined) {
      this.#guard(() => this.#handlers.onData(chunk));
      return;
    }
    error.parts.push(chunk);
    error.bytes += chunk.length;
    if (error.bytes > LONGEST_ERROR_BYTES) this.#failByStatus(error);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    if (this.#error !== undefined) {
      this.#failByStatus(this.#error);
      return;
    }
    this.#guard(() => this.#handlers.onEnd());
    this.#over = true;
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handlers.onBreak(AttemptFailure.unavailable(error));
  }

  #failByStatus({ status, retryAfter, parts }: ErrorAnswer): void {
    const body = Buffer.concat(parts).toString('utf8');
    this.#fail(classifyErrorAnswer({ status, retryAfter, body }));
  }

  /** What a handler throws ends the generation: it would otherwise be the connection's problem. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#fail(AttemptFailure.from(thrown));
    }
  }

  #fail(failure: AttemptFailure): void {
    if (this.#over) return;
    this.abort();
    this.#handlers.onFailure(failure);
  }
}
