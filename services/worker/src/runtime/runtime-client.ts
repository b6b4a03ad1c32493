import type { IncomingHttpHeaders } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { classifyErrorAnswer } from './classify-error.ts';
import { parseJson, type JsonObject } from './json.ts';

export interface RuntimeClientOptions {
  /** With or without the closing `/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Most connections at once. */
  readonly connections: number;
}

export interface GenerationHandlers {
  /** The runtime took the request: status 200 and an event stream. */
  onStart(): void;
  onData(bytes: Buffer): void;
  /** The stream has ended. */
  onEnd(): void;
  /** Called once, instead of onEnd. */
  onFailure(failure: AttemptFailure): void;
}

export interface Question {
  readonly body?: JsonObject;
  readonly timeoutMs: number;
}

export interface RunningGeneration {
  /** Closes the connection, which is how a runtime learns that nobody listens. No handler is called any more. */
  abort(): void;
}

/** uvicorn closes idle connections after 5 s; one reused at that moment would fail a request. */
const KEEP_ALIVE_MS = 4_000;
/** One that promises more is believed for so long: connections of a busy moment are not kept for minutes. */
const LONGEST_KEEP_ALIVE_MS = 8_000;
const CONNECT_TIMEOUT_MS = 3_000;
const LONGEST_ERROR_BYTES = 64 * 1024;
const EVENT_STREAM = 'text/event-stream';

/** HTTP to one runtime. Time-outs of generations are the caller's: a runtime may think for long. */
export class RuntimeClient implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, apiKey, connections }: RuntimeClientOptions) {
    const { origin, pathname } = new URL(url);
    this.#basePath = pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#headers = {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: LONGEST_KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  generate(
    body: JsonObject,
    headers: Readonly<Record<string, string>>,
    handlers: GenerationHandlers,
  ): RunningGeneration {
    const generation = new DispatchedGeneration(handlers);
    this.#pool.dispatch(
      {
        path: `${this.#basePath}/v1/chat/completions`,
        method: 'POST',
        headers: { ...this.#headers, accept: EVENT_STREAM, ...headers },
        body: JSON.stringify(body),
      },
      generation,
    );
    return generation;
  }

  /** A small question beside the generations. Throws an AttemptFailure unless the answer is JSON with status 200. */
  async ask(path: string, options: Question): Promise<unknown> {
    const text = await this.read(path, options);
    try {
      return parseJson(text);
    } catch (thrown) {
      throw AttemptFailure.from(thrown);
    }
  }

  /** The same for an answer that is no JSON. */
  async read(path: string, { body, timeoutMs }: Question): Promise<string> {
    try {
      const answer = await this.#pool.request({
        path: `${this.#basePath}${path}`,
        method: body === undefined ? 'GET' : 'POST',
        headers: this.#headers,
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) {
        throw classifyErrorAnswer({ status: answer.statusCode, body: text });
      }
      return text;
    } catch (thrown) {
      throw AttemptFailure.from(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }
}

/**
 * One request without the layers of a response stream: at a chunk per token they would cost more than all
 * that is done with it.
 */
class DispatchedGeneration implements Dispatcher.DispatchHandler, RunningGeneration {
  readonly #handlers: GenerationHandlers;
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;
  #error:
    | { status: number; retryAfter: string | undefined; parts: Buffer[]; bytes: number }
    | undefined;

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
    if (!this.#over) this.#fail(AttemptFailure.unavailable(error));
  }

  #failByStatus({
    status,
    retryAfter,
    parts,
  }: {
    status: number;
    retryAfter: string | undefined;
    parts: Buffer[];
  }): void {
    this.#fail(
      classifyErrorAnswer({ status, retryAfter, body: Buffer.concat(parts).toString('utf8') }),
    );
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
