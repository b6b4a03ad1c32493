import { HeaderName, tokenUsageOf } from '@sluice/contracts';
import { traceHeaders, type TraceSpan } from '@sluice/telemetry';
import { demandedFunction, demandsCall, type PromisedReply } from '../dialect/client-request.ts';
import type { AskRuntime, Dialect } from '../dialect/dialect.ts';
import {
  boundedGeneration,
  hasCall,
  type JsonText,
  type TranslatedRequest,
} from '../dialect/translate-request.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { outcomeOfStop, type AttemptOutcome } from '../domain/attempt-outcome.ts';
import type { Attempt } from '../domain/attempt.ts';
import { decideOutputBound, mayExceedContext, type OutputBound } from '../domain/output-bound.ts';
import { findCallFault, findReplyFault } from '../guarantees/find-reply-fault.ts';
import { prepareSchemas } from '../guarantees/prepare-schemas.ts';
import type { SchemaChecker } from '../guarantees/schema-checker.ts';
import { RuntimeReply } from '../reply/runtime-reply.ts';
import type { Generation, GenerationEnd, HeldGeneration } from '../runtime/generation.ts';
import type { RuntimeClient } from '../runtime/runtime-client.ts';
import type { RequestTranslator } from '../translation/request-translator.ts';
import { TranslationEndedError } from '../translation/translation-thread.ts';

export interface RunOptions {
  readonly runtime: RuntimeClient;
  /** That of the runtime at this moment: another may take its place. */
  readonly dialect: () => Dialect;
  readonly translator: RequestTranslator;
  readonly schemas: SchemaChecker;
  /** Whether organizations may share a prefix cache on runtimes that cannot keep them apart. */
  readonly sharedCache: boolean;
  readonly maxPayload: () => number;
  readonly now: () => number;
}

export interface RunContext {
  readonly options: RunOptions;
  readonly charge: (tokens: number) => void;
  readonly span: TraceSpan;
}

interface Run extends RunContext {
  /** The newest one. */
  generation?: Generation;
}

/** A request that may be sent to the runtime, and what has to be known of it while its answer comes. */
interface PreparedRequest extends HeldGeneration {
  readonly promised: PromisedReply;
  readonly callIds: string;
  readonly output: OutputBound;
}

/** For a client whose request was too slow to read. */
const RETRY_AFTER_MS = 1_000;
const TOKENIZER_TIMEOUT_MS = 10_000;
/** Left free in the one message of a reply that does not stream, for the other frames. */
const REPLY_MARGIN_BYTES = 64 * 1024;

/** Runs an attempt on the runtime, from the client's bytes to its outcome. Never rejects; returns when it is stopped. */
export async function runAttempt(attempt: Attempt, context: RunContext): Promise<AttemptOutcome> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error('the attempt was stopped'));
  attempt.signal.addEventListener('abort', stop, { once: true });
  const run: Run = { ...context };
  try {
    return await Promise.race([answer(attempt, run), stopped]);
  } catch (thrown) {
    run.generation?.abort();
    if (attempt.stopReason !== undefined) return outcomeOfStop(attempt.stopReason);
    return { kind: 'failed', failure: AttemptFailure.from(thrown) };
  }
}

async function answer(attempt: Attempt, run: Run): Promise<AttemptOutcome> {
  const { options } = run;
  const request = await prepare(attempt, options);
  const { bound } = request.output;
  let end = await generate(attempt, request, bound, run);
  // What the client did not ask for must not be the reason of a refusal: what is left of the context is enough. A
  // runtime that runs out of context in the middle would say again what it has said already.
  const isCuttable = bound !== undefined && !attempt.header.output_bound_requested;
  if (isCuttable && isOutOfContext(end) && !attempt.progress.speaking) {
    end = await generate(attempt, request, undefined, run);
  }
  if (end.kind === 'failed') throw end.failure;
  return verify(attempt, request.promised, end.reply, options.schemas);
}

async function prepare(attempt: Attempt, options: RunOptions): Promise<PreparedRequest> {
  attempt.signal.throwIfAborted();
  const { header, progress } = attempt;
  progress.preparing = true;
  const dialect = options.dialect();
  const request = await translate(attempt, dialect, options);
  attempt.signal.throwIfAborted();
  progress.mayCall = request.mayCall;
  await prepareSchemas(request, {
    organization: header.organization,
    schemas: options.schemas,
  });
  progress.preparing = false;
  progress.lastSignAt = options.now();
  const output = await decideOutputBound(header, attempt, () =>
    countPrompt(attempt, dialect, request, options.runtime),
  );
  const { promised, callIds, generation } = request;
  return { promised, callIds, output, generation };
}

async function translate(
  attempt: Attempt,
  dialect: Dialect,
  { translator, sharedCache }: RunOptions,
): Promise<TranslatedRequest> {
  const { header, bodyBytes } = attempt;
  try {
    return await translator.translate(attempt.takeBody(), dialect, {
      header,
      sharedCache,
      countsPrompt: mayExceedContext(header, bodyBytes),
      isWanted: () => !attempt.stopped,
    });
  } catch (error) {
    if (error instanceof TranslationEndedError) {
      // Another worker would only spend the same time on it. Its client may try again.
      throw new AttemptFailure('worker_busy', { retryable: false, retryAfterMs: RETRY_AFTER_MS });
    }
    // The cause would quote the prompt.
    throw new AttemptFailure('invalid_request', { retryable: false });
  }
}

async function countPrompt(
  { header }: Attempt,
  dialect: Dialect,
  { promptQuestion: question }: TranslatedRequest,
  runtime: RuntimeClient,
): Promise<number | undefined> {
  if (question === undefined) return undefined;
  const ask = async (path: string, body: JsonText): Promise<unknown> => {
    try {
      return await runtime.ask(path, { body, timeoutMs: TOKENIZER_TIMEOUT_MS });
    } catch {
      return undefined;
    }
  };
  const answer = await ask(question.path, question.body);
  const askMore: AskRuntime = (path, body) => ask(path, JSON.stringify(body));
  return dialect.promptLength(answer, askMore, header);
}

async function generate(
  attempt: Attempt,
  request: PreparedRequest,
  bound: number | undefined,
  run: Run,
): Promise<GenerationEnd> {
  attempt.signal.throwIfAborted();
  const { options, charge, span } = run;
  const { runtime, now } = options;
  const headers = { [HeaderName.requestId]: attempt.header.request, ...traceHeaders(span) };
  const body = boundedGeneration(request.generation, bound);
  const reply = newReply(attempt, request, bound, options);
  run.generation = runtime.generate(body, headers, { attempt, request, reply, charge, now });
  return run.generation.ended;
}

function newReply(
  { header, channel }: Attempt,
  { promised, callIds, output }: PreparedRequest,
  bound: number | undefined,
  options: RunOptions,
): RuntimeReply {
  return new RuntimeReply({
    stream: header.stream,
    reasoningAlways: header.reasoning_history === 'required',
    keepContent: promised.promisedSchema !== undefined || promised.promisesObject,
    callFirst: demandsCall(promised),
    reportCached: options.dialect().separatesCaches || options.sharedCache,
    promptTokens: output.promptTokens ?? header.estimated_input_tokens,
    outputBound: bound,
    contextLength: header.context_length,
    demandedFunction: demandedFunction(promised),
    onCall: (name, earlierCalls) => checkCall(promised, name, earlierCalls),
    isTakenId: (id) => hasCall(callIds, id),
    longestReply: options.maxPayload() - REPLY_MARGIN_BYTES,
    emit: (delta) => channel.send(delta),
  });
}

function checkCall(promised: PromisedReply, name: string, earlierCalls: number): void {
  const fault = findCallFault(promised, name, earlierCalls);
  if (fault !== undefined) throw AttemptFailure.brokenPromise(fault);
}

function isOutOfContext(end: GenerationEnd): boolean {
  return end.kind === 'failed' && end.failure.reason === 'context_length_exceeded';
}

/** What was promised to the client is checked before the answer is called finished. */
async function verify(
  { header }: Attempt,
  promised: PromisedReply,
  reply: RuntimeReply,
  schemas: SchemaChecker,
): Promise<AttemptOutcome> {
  const { frames, finishReason, usage } = reply.finish();
  const { calls, content } = reply;
  const fault = await findReplyFault(
    { finishReason, calls, content },
    { promised, organization: header.organization, schemas },
  );
  if (fault !== undefined) throw AttemptFailure.brokenPromise(fault);
  return { kind: 'finished', frames, finishReason, usage: tokenUsageOf(usage) };
}
