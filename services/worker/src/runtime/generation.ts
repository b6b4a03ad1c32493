import type { IncomingHttpHeaders } from 'node:http';
import { FrameKind, frame } from '@sluice/contracts';
import { Deadline } from '@sluice/service';
import type { Dispatcher } from 'undici';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { classifyErrorAnswer } from '../dialects/classify-error.ts';
import type { JsonText } from '../dialects/translate-request.ts';
import type { ReplyBuilder } from '../stream/reply-builder.ts';
import { ServerSentEventParser } from '../stream/sse-events.ts';

/** The body of the request to the runtime. It is released at the first output, because it may be large. */
export interface HeldGeneration {
  generation: JsonText;
}

export interface GenerationOptions {
  readonly attempt: Attempt;
  readonly request: HeldGeneration;
  readonly reply: ReplyBuilder;
  /** Called after each read with the number of chunks in it, which is about the number of tokens. */
  readonly charge: (tokens: number) => void;
  readonly clock: () => number;
}

/** `answered`: the reply is complete, perhaps without its usage. */
export type GenerationEnd =
  | { readonly kind: 'answered'; readonly reply: ReplyBuilder }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure };

/** What has arrived so far of a response whose status is not 200. */
interface ErrorAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly parts: Buffer[];
  bytes: number;
}

export const EVENT_STREAM = 'text/event-stream';
const STARTED = frame(FrameKind.started);
const MAX_ERROR_BYTES = 64 * 1024;
/** How long to wait after the last output for usage, the end marker and the end of the response. */
const AFTER_ANSWER_MS = 2_000;

/**
 * One generation on the runtime: it parses events from the bytes of the response, and the `ReplyBuilder` turns them
 * into frames. It implements undici's handler instead of reading a response stream: a stream with a chunk for each
 * token costs more than all other work on the chunk.
 */
export class Generation implements Dispatcher.DispatchHandler {
  readonly ended: Promise<GenerationEnd>;
  readonly #options: GenerationOptions;
  readonly #resolve: (end: GenerationEnd) => void;
  readonly #parser: ServerSentEventParser;
  #events = 0;
  #errorAnswer: ErrorAnswer | undefined;
  /** Whether `ended` is resolved. The connection may still be open. */
  #isEnded = false;
  #controller: Dispatcher.DispatchController | undefined;
  #connection: 'open' | 'aborted' | 'closed' = 'open';
  #usageDeadline: Deadline | undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(options: GenerationOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<GenerationEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#parser = new ServerSentEventParser((event) => {
      this.#events += 1;
      options.reply.add(event);
    });
  }

  /** Closes the connection, which makes the runtime stop. A generation that has not ended then counts as failed. */
  abort(): void {
    this.#fail(AttemptFailure.unavailable());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#connection === 'aborted') this.#disconnect();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#isEnded || status < 200) return;
    if (status !== 200) {
      this.#errorAnswer = { status, retryAfter: headers['retry-after'], parts: [], bytes: 0 };
    } else if (headers['content-type']?.toLowerCase().startsWith(EVENT_STREAM) === true) {
      this.#start();
    } else this.#fail(AttemptFailure.unavailable());
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isEnded) return;
    // Caught here, because undici would treat an exception as an error of the connection.
    try {
      if (this.#errorAnswer === undefined) this.#readOutput(bytes);
      else this.#collectError(this.#errorAnswer, bytes);
    } catch (thrown) {
      this.#fail(AttemptFailure.from(thrown));
    }
  }

  onResponseEnd(): void {
    this.#noteClosed();
    if (this.#isEnded) return;
    try {
      if (this.#errorAnswer !== undefined) throw failureOf(this.#errorAnswer);
      this.#parser.end();
      this.#options.reply.end();
      this.#finish();
    } catch (thrown) {
      this.#fail(AttemptFailure.from(thrown));
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#noteClosed();
    // The connection broke. After a complete answer, only its usage may be missing.
    if (this.#options.reply.answered) this.#finish();
    else this.#fail(AttemptFailure.unavailable(error));
  }

  #start(): void {
    const { attempt, clock } = this.#options;
    attempt.progress.lastActivityAt = clock();
    // Only the client of a stream gets a status before the first token. The frame is not kept back for the first token:
    // in a measurement, that made first tokens no faster.
    if (attempt.header.stream) attempt.channel.send(STARTED);
  }

  #readOutput(bytes: Buffer): void {
    const { attempt, reply, request, charge, clock } = this.#options;
    const eventsBefore = this.#events;
    const chunksBefore = reply.chunks;
    try {
      this.#parser.push(bytes);
    } finally {
      // Comments of the event stream do not count as activity: a server sends them even if its model is stuck.
      if (this.#events > eventsBefore) attempt.progress.lastActivityAt = clock();
      if (reply.chunks > 0) {
        attempt.progress.hasOutput = true;
        request.generation = '';
      }
      // Charged even if the parser or the reply throws: the tokens before the error were generated and sent.
      charge(reply.chunks - chunksBefore);
    }
    if (reply.ended) this.#finish();
    else if (reply.answered) this.#awaitUsage();
  }

  #awaitUsage(): void {
    if (this.#usageDeadline !== undefined) return;
    this.#options.attempt.progress.answered = true;
    this.#usageDeadline = new Deadline(AFTER_ANSWER_MS, () => {
      this.#finish();
      this.#disconnect();
    });
  }

  #collectError(error: ErrorAnswer, bytes: Buffer): void {
    error.parts.push(bytes);
    error.bytes += bytes.length;
    if (error.bytes > MAX_ERROR_BYTES) throw failureOf(error);
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#end({ kind: 'answered', reply: this.#options.reply });
    this.#options.attempt.progress.answered = true;
    // Deferred, because most responses close in the same read, and then no timer is needed.
    queueMicrotask(() => this.#expectClose());
  }

  /** Closes the connection if the runtime leaves its response open after the end marker. */
  #expectClose(): void {
    if (this.#connection !== 'open') return;
    this.#closeTimer = setTimeout(() => this.#disconnect(), AFTER_ANSWER_MS).unref();
  }

  #fail(failure: AttemptFailure): void {
    if (!this.#isEnded) this.#end({ kind: 'failed', failure });
    this.#disconnect();
  }

  #end(end: GenerationEnd): void {
    this.#isEnded = true;
    this.#usageDeadline?.stop();
    this.#resolve(end);
  }

  #disconnect(): void {
    clearTimeout(this.#closeTimer);
    if (this.#connection === 'closed') return;
    this.#connection = 'aborted';
    this.#controller?.abort(new Error('the generation was aborted'));
  }

  #noteClosed(): void {
    clearTimeout(this.#closeTimer);
    this.#connection = 'closed';
  }
}

function failureOf({ status, retryAfter, parts }: ErrorAnswer): AttemptFailure {
  const body = Buffer.concat(parts).toString('utf8');
  return classifyErrorAnswer({ status, retryAfter, body });
}
