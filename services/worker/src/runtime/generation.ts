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

/** The body of the request to the runtime. It is released at the first output: it may be large, and the reply long. */
export interface HeldGeneration {
  generation: JsonText;
}

export interface GenerationOptions {
  readonly attempt: Attempt;
  readonly request: HeldGeneration;
  readonly reply: ReplyBuilder;
  /** Called with the number of tokens in each read. */
  readonly charge: (tokens: number) => void;
  readonly clock: () => number;
}

/** `answered`: the reply is complete, perhaps without its usage. */
export type GenerationEnd =
  | { readonly kind: 'answered'; readonly reply: ReplyBuilder }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure };

/** The part that has arrived of a response with a status other than 200. */
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
 * One generation on the runtime: it parses events from the bytes of the response, and the reply sends the frames. It
 * implements undici's handler, because a response stream with a chunk for each token would cost more than all other
 * work on the chunk.
 */
export class Generation implements Dispatcher.DispatchHandler {
  readonly ended: Promise<GenerationEnd>;
  readonly #options: GenerationOptions;
  readonly #resolve: (end: GenerationEnd) => void;
  readonly #parser: ServerSentEventParser;
  #events = 0;
  #errorAnswer: ErrorAnswer | undefined;
  /** The end is decided; the connection may still be open. */
  #over = false;
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

  /** Closes the connection, which makes the runtime stop. If the generation has not ended, it has failed. */
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
    if (this.#over || status < 200) return;
    if (status !== 200) {
      this.#errorAnswer = { status, retryAfter: headers['retry-after'], parts: [], bytes: 0 };
    } else if (headers['content-type']?.toLowerCase().startsWith(EVENT_STREAM) === true) {
      this.#start();
    } else this.#fail(AttemptFailure.unavailable());
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#over) return;
    // Caught here, because undici would treat an exception as an error of the connection.
    try {
      if (this.#errorAnswer === undefined) this.#take(bytes);
      else this.#takeError(this.#errorAnswer, bytes);
    } catch (thrown) {
      this.#fail(AttemptFailure.from(thrown));
    }
  }

  onResponseEnd(): void {
    this.#closed();
    if (this.#over) return;
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
    this.#closed();
    // Only the usage may be missing from a complete answer. An incomplete usage event is ignored.
    if (this.#options.reply.answered) this.#finish();
    else this.#fail(AttemptFailure.unavailable(error));
  }

  #start(): void {
    const { attempt, clock } = this.#options;
    attempt.progress.lastActivityAt = clock();
    // Only the client of a stream waits for a status before the first token. The frame is sent alone: sending it
    // together with the first token made first tokens no faster.
    if (attempt.header.stream) attempt.channel.send(STARTED);
  }

  #take(bytes: Buffer): void {
    const { attempt, reply, request, charge, clock } = this.#options;
    const eventsBefore = this.#events;
    const chunksBefore = reply.chunks;
    try {
      this.#parser.push(bytes);
    } finally {
      // Comments do not count as activity: a server sends them even if its model is stuck.
      if (this.#events > eventsBefore) attempt.progress.lastActivityAt = clock();
      if (reply.chunks > 0) {
        attempt.progress.hasOutput = true;
        request.generation = '';
      }
      // Tokens are charged after an error too. Those before the error in the same read were generated and sent.
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

  #takeError(error: ErrorAnswer, bytes: Buffer): void {
    error.parts.push(bytes);
    error.bytes += bytes.length;
    if (error.bytes > MAX_ERROR_BYTES) throw failureOf(error);
  }

  #finish(): void {
    if (this.#over) return;
    this.#end({ kind: 'answered', reply: this.#options.reply });
    this.#options.attempt.progress.answered = true;
    // Deferred, because most responses end in the same read and then need no timer.
    queueMicrotask(() => this.#expectClose());
  }

  /** Closes the connection if the runtime leaves its response open after the end marker. */
  #expectClose(): void {
    if (this.#connection !== 'open') return;
    this.#closeTimer = setTimeout(() => this.#disconnect(), AFTER_ANSWER_MS).unref();
  }

  #fail(failure: AttemptFailure): void {
    if (!this.#over) this.#end({ kind: 'failed', failure });
    this.#disconnect();
  }

  #end(end: GenerationEnd): void {
    this.#over = true;
    this.#usageDeadline?.stop();
    this.#resolve(end);
  }

  #disconnect(): void {
    clearTimeout(this.#closeTimer);
    if (this.#connection === 'closed') return;
    this.#connection = 'aborted';
    this.#controller?.abort(new Error('the generation was aborted'));
  }

  #closed(): void {
    clearTimeout(this.#closeTimer);
    this.#connection = 'closed';
  }
}

function failureOf({ status, retryAfter, parts }: ErrorAnswer): AttemptFailure {
  const body = Buffer.concat(parts).toString('utf8');
  return classifyErrorAnswer({ status, retryAfter, body });
}
