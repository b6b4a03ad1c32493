import { FrameKind, HeaderName, frame, tokenUsageOf } from '@sluice/contracts';
import { traceHeaders, type TraceSpan } from '@sluice/telemetry';
import { Deadline } from '@sluice/timing';
import { demandedFunction, demandsCall, type PromisedReply } from '../dialect/client-request.ts';
import type { AskRuntime, Dialect } from '../dialect/dialect.ts';
import { ServerSentEventParser } from '../dialect/sse-parser.ts';
import {
  boundedGeneration,
  hasCall,
  type JsonText,
  type TranslatedRequest,
} from '../dialect/translate-request.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { outcomeOfStop, type AttemptOutcome } from '../domain/attempt-outcome.ts';
import type { Attempt, StopReason } from '../domain/attempt.ts';
import { estimateTokens } from '../domain/estimate-tokens.ts';
import { decideOutputBound, mayExceedContext, type OutputBound } from '../domain/output-bound.ts';
import { findCallFault, findReplyFault } from '../guarantees/find-reply-fault.ts';
import { prepareSchemas } from '../guarantees/prepare-schemas.ts';
import type { SchemaChecker } from '../guarantees/schema-checker.ts';
import { RuntimeReply } from '../reply/runtime-reply.ts';
import type { RequestTranslator } from '../translation/request-translator.ts';
import type { GenerationHandlers, RunningGeneration, RuntimeAccess } from './runtime-access.ts';

export interface RunOptions {
  readonly runtime: RuntimeAccess;
  /** That of the runtime at this moment: another may take its place. */
  readonly dialect: () => Dialect;
  readonly translator: RequestTranslator;
  readonly schemas: SchemaChecker;
  /** Whether organizations may share a prefix cache on runtimes that cannot keep them apart. */
  readonly sharedCache: boolean;
  readonly maxPayload: () => number;
  readonly now: () => number;
}

const STARTED = frame(FrameKind.started);
/** Usage, the end marker and the end of the reply follow the last word at once, or not at all. */
const AFTER_ANSWER_MS = 2_000;
const TOKENIZER_TIMEOUT_MS = 10_000;
/** Left free in the one message of a reply that does not stream, for the other frames. */
const REPLY_MARGIN_BYTES = 64 * 1024;

export interface RunSurroundings {
  readonly options: RunOptions;
  readonly charge: (tokens: number) => void;
  readonly span: TraceSpan;
}

/** What the runtime was asked for, and what has come of its reply. */
interface RuntimeExchange {
  readonly promised: PromisedReply;
  readonly reply: RuntimeReply;
  /** As long as that makes sense: it holds on to the prompt. */
  askForLess: (() => void) | undefined;
}

/** One attempt on the runtime, from the client's bytes to what came of it. */
export class AttemptRun {
  readonly outcome: Promise<AttemptOutcome>;
  readonly #attempt: Attempt;
  readonly #surroundings: RunSurroundings;
  readonly #resolve: (outcome: AttemptOutcome) => void;
  #generation: RunningGeneration | undefined;
  #afterAnswer: Deadline | undefined;
  #closing: NodeJS.Timeout | undefined;
  #over = false;
  #concluding = false;

  constructor(attempt: Attempt, surroundings: RunSurroundings) {
    this.#attempt = attempt;
    this.#surroundings = surroundings;
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    attempt.onStop((reason) => this.#stop(reason));
    this.#begin().catch((thrown: unknown) => this.#fail(AttemptFailure.from(thrown)));
  }

  async #begin(): Promise<void> {
    if (this.#over) return;
    const dialect = this.#surroundings.options.dialect();
    await this.#boundOutput(dialect, await this.#translate(dialect));
  }

  async #boundOutput(dialect: Dialect, request: TranslatedRequest): Promise<void> {
    // It may have been stopped while its body was read.
    if (this.#over) return;
    const { header } = this.#attempt;
    this.#attempt.progress.mayCall = request.mayCall;
    const { schemas } = this.#surroundings.options;
    await prepareSchemas(request, { organization: header.organization, schemas });
    const output = await decideOutputBound(header, this.#attempt, () =>
      this.#countPrompt(dialect, request),
    );
    this.#generate(request, output);
  }

  #generate(request: TranslatedRequest, output: OutputBound): void {
    if (this.#over) return;
    const { header } = this.#attempt;
    const { options, span } = this.#surroundings;
    const { promised } = request;
    const reply = this.#newReply(request, output);
    const body = boundedGeneration(request.generation, output.bound);
    const headers = { [HeaderName.requestId]: header.request, ...traceHeaders(span) };
    // What the client did not ask for must not be the reason of a refusal: what is left of the context is enough.
    const cuttable = output.bound !== undefined && !header.output_bound_requested;
    const handlers = this.#handlersOf({
      promised,
      reply,
      askForLess: cuttable
        ? () => this.#generate(request, { ...output, bound: undefined })
        : undefined,
    });
    this.#generation = options.runtime.generate(body, headers, handlers);
  }

  #handlersOf(exchange: RuntimeExchange): GenerationHandlers {
    const { reply } = exchange;
    let events = 0;
    const parser = new ServerSentEventParser((event) => {
      events += 1;
      reply.take(event);
    });
    return {
      onStart: () => this.#started(),
      onData: (bytes) => {
        const eventsBefore = events;
        const chunksBefore = reply.chunks;
        try {
          parser.push(bytes);
        } finally {
          // Comments come from a server that lives, not from a model that works.
          if (events > eventsBefore) this.#sign();
          if (reply.chunks > 0) this.#speaks(exchange);
          // What came before a failure in the same read has been generated, and was sent on.
          this.#surroundings.charge(reply.chunks - chunksBefore);
        }
        this.#afterData(exchange);
      },
      onEnd: () => {
        this.#generationOver();
        parser.end();
        reply.end();
        this.#conclude(exchange);
      },
      onBreak: (failure) => {
        this.#generationOver();
        // Nothing is missing but the usage: what is half there of that is left.
        if (reply.answered) this.#conclude(exchange);
        else this.#fail(failure);
      },
      onFailure: (failure) => {
        this.#generationOver();
        // The end marker had come, and what follows it is of no interest.
        if (!this.#concluding) this.#goOnAfter(failure, exchange);
      },
    };
  }

  #started(): void {
    this.#sign();
    const { header, channel } = this.#attempt;
    // Only the client of a stream waits for a status before the first word. To hold the frame back and send both
    // together made first tokens come no sooner.
    if (header.stream) channel.send(STARTED);
  }

  #speaks(exchange: RuntimeExchange): void {
    this.#attempt.progress.speaking = true;
    // A runtime that runs out of context in the middle would say again what it has said already.
    exchange.askForLess = undefined;
  }

  #goOnAfter(failure: AttemptFailure, { askForLess }: RuntimeExchange): void {
    if (failure.reason === 'context_length_exceeded' && askForLess !== undefined) askForLess();
    else this.#fail(failure);
  }

  #newReply(
    { promised, callIds }: TranslatedRequest,
    { bound, promptTokens }: OutputBound,
  ): RuntimeReply {
    const { header, channel } = this.#attempt;
    const { options } = this.#surroundings;
    const dialect = options.dialect();
    return new RuntimeReply({
      stream: header.stream,
      reasoningAlways: header.reasoning_history === 'required',
      keepContent: promised.promisedSchema !== undefined || promised.promisesObject,
      callFirst: demandsCall(promised),
      reportCached: dialect.separatesCaches || options.sharedCache,
      promptTokens:
        promptTokens ?? header.estimated_input_tokens ?? estimateTokens(this.#attempt.bodyBytes),
      outputBound: bound,
      contextLength: header.context_length,
      demandedFunction: demandedFunction(promised),
      onCall: (name, earlierCalls) => this.#checkCall(promised, name, earlierCalls),
      isTakenId: (id) => hasCall(callIds, id),
      longestReply: options.maxPayload() - REPLY_MARGIN_BYTES,
      emit: (delta) => channel.send(delta),
    });
  }

  #checkCall(promised: PromisedReply, name: string, earlierCalls: number): void {
    const fault = findCallFault(promised, name, earlierCalls);
    if (fault !== undefined) throw AttemptFailure.brokenPromise(fault);
  }

  #afterData(exchange: RuntimeExchange): void {
    const { reply } = exchange;
    if (reply.ended) {
      this.#conclude(exchange);
      return;
    }
    if (!reply.answered || this.#afterAnswer !== undefined || this.#over) return;
    this.#attempt.progress.answered = true;
    // Without a usage, should none come.
    this.#afterAnswer = new Deadline(AFTER_ANSWER_MS, () => {
      this.#conclude(exchange);
      this.#generation?.abort();
    });
  }

  #conclude(exchange: RuntimeExchange): void {
    if (this.#over || this.#concluding) return;
    this.#concluding = true;
    this.#afterAnswer?.stop();
    this.#attempt.progress.answered = true;
    this.#verify(exchange).catch((thrown: unknown) => this.#fail(AttemptFailure.from(thrown)));
  }

  /** What was promised to the client is checked before the answer is called finished. */
  async #verify({ promised, reply }: RuntimeExchange): Promise<void> {
    const { frames, finishReason, usage } = reply.finish();
    const { organization } = this.#attempt.header;
    const { calls, content } = reply;
    const fault = await findReplyFault(
      { finishReason, calls, content },
      { promised, organization, schemas: this.#surroundings.options.schemas },
    );
    if (fault !== undefined) throw AttemptFailure.brokenPromise(fault);
    this.#settle({ kind: 'finished', frames, finishReason, usage: tokenUsageOf(usage) });
    this.#expectClose();
  }

  /** A runtime that has said everything but leaves its reply open would keep one of our connections for ever. */
  #expectClose(): void {
    const generation = this.#generation;
    if (generation === undefined) return;
    this.#closing = setTimeout(() => generation.abort(), AFTER_ANSWER_MS).unref();
  }

  #generationOver(): void {
    this.#generation = undefined;
    clearTimeout(this.#closing);
  }

  #stop(reason: StopReason): void {
    this.#settle(outcomeOfStop(reason));
    this.#generation?.abort();
  }

  #fail(failure: AttemptFailure): void {
    this.#settle({ kind: 'failed', failure });
    this.#generation?.abort();
  }

  #settle(outcome: AttemptOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#afterAnswer?.stop();
    this.#resolve(outcome);
  }

  #sign(): void {
    this.#attempt.progress.lastSignAt = this.#surroundings.options.now();
  }

  async #translate(dialect: Dialect): Promise<TranslatedRequest> {
    const { header, bodyBytes } = this.#attempt;
    const { translator, sharedCache } = this.#surroundings.options;
    try {
      return await translator.translate(this.#attempt.takeBody(), dialect, {
        header,
        sharedCache,
        countsPrompt: mayExceedContext(header, bodyBytes),
        isWanted: () => !this.#over,
      });
    } catch {
      // The cause would quote the prompt.
      throw new AttemptFailure('invalid_request', { retryable: false });
    }
  }

  async #countPrompt(
    dialect: Dialect,
    { promptQuestion: question }: TranslatedRequest,
  ): Promise<number | undefined> {
    if (question === undefined) return undefined;
    const answer = await this.#ask(question.path, question.body);
    const ask: AskRuntime = (path, body) => this.#ask(path, JSON.stringify(body));
    return dialect.promptLength(answer, ask, this.#attempt.header);
  }

  async #ask(path: string, body: JsonText): Promise<unknown> {
    try {
      return await this.#surroundings.options.runtime.ask(path, {
        body,
        timeoutMs: TOKENIZER_TIMEOUT_MS,
      });
    } catch {
      return undefined;
    }
  }
}
