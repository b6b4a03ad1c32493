import type { IncomingHttpHeaders } from 'node:http';
import { FrameKind, frame } from '@sluice/contracts';
import { Deadline } from '@sluice/timing';
import type { Dispatcher } from 'undici';
import { classifyErrorAnswer } from '../dialect/classify-error.ts';
import { ServerSentEventParser } from '../dialect/sse-parser.ts';
import type { JsonText } from '../dialect/translate-request.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { RuntimeReply } from '../reply/runtime-reply.ts';

/** What the runtime is asked. Dropped with the first word of the answer: it may be large, and the answer long. */
export interface HeldGeneration {
  generation: JsonText;
}

export interface GenerationOptions {
  readonly attempt: Attempt;
  readonly request: HeldGeneration;
  readonly reply: RuntimeReply;
  /** Called with the tokens of each read, while they flow. */
  readonly charge: (tokens: number) => void;
  readonly now: () => number;
}

/** `answered`: the answer is complete, if perhaps without its usage. */
export type GenerationEnd =
  | { readonly kind: 'answered'; readonly reply: RuntimeReply }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure };

/** An answer with another status than 200, as far as it has come. */
interface ErrorAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly parts: Buffer[];
  bytes: number;
}

export const EVENT_STREAM = 'text/event-stream';
const STARTED = frame(FrameKind.started);
const LONGEST_ERROR_BYTES = 64 * 1024;
/** Usage, the end marker and the end of the reply follow the last word at once, or not at all. */
const AFTER_ANSWER_MS = 2_000;

/**
 * One generation on the runtime: bytes come in, events are parsed, and the reply sends the frames. It is undici's
 * handler itself: at a chunk per token, the layers of a response stream would cost more than all that is done with it.
 */
export class Generation implements Dispatcher.DispatchHandler {
  readonly ended: Promise<GenerationEnd>;
  readonly #options: GenerationOptions;
  readonly #resolve: (end: GenerationEnd) => void;
  readonly #parser: ServerSentEventParser;
  #events = 0;
  #errorAnswer: ErrorAnswer | undefined;
  /** How it has ended is decided; the connection may still be open. */
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
      options.reply.take(event);
    });
  }

  /** Closes the connection, which is how a runtime learns to stop. A generation that has not ended has failed then. */
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
    // What a step throws would otherwise be the connection's problem.
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
    // Of a complete answer nothing is missing but the usage; one that has come in part is not used.
    if (this.#options.reply.answered) this.#finish();
    else this.#fail(AttemptFailure.unavailable(error));
  }

  #start(): void {
    const { attempt, now } = this.#options;
    attempt.progress.lastSignAt = now();
    // Only the client of a stream waits for a status before the first word. To hold the frame back and send both
    // together made first tokens come no sooner.
    if (attempt.header.stream) attempt.channel.send(STARTED);
  }

  #take(bytes: Buffer): void {
    const { attempt, reply, request, charge, now } = this.#options;
    const eventsBefore = this.#events;
    const chunksBefore = reply.chunks;
    try {
      this.#parser.push(bytes);
    } finally {
      // Comments come from a server that lives, not from a model that works.
      if (this.#events > eventsBefore) attempt.progress.lastSignAt = now();
      if (reply.chunks > 0) {
        attempt.progress.speaking = true;
        request.generation = '';
      }
      // What came before a failure in the same read has been generated, and was sent on.
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
    if (error.bytes > LONGEST_ERROR_BYTES) throw failureOf(error);
  }

  #finish(): void {
    if (this.#over) return;
    this.#end({ kind: 'answered', reply: this.#options.reply });
    this.#options.attempt.progress.answered = true;
    // Mostly the reply ends in the same read, and needs no timer.
    queueMicrotask(() => this.#expectClose());
  }

  /** A runtime that leaves its reply open after the end marker would keep one of our connections for ever. */
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
