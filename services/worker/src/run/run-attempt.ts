import { HeaderName, tokenUsageOf } from '@sluice/contracts';
import { traceHeaders, type TraceSpan } from '@sluice/service';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { outcomeOfStop, type AttemptOutcome } from '../attempt/attempt-outcome.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { demandsCall, forcedFunction, type PromisedReply } from '../dialects/client-request.ts';
import type { AskRuntime, Dialect } from '../dialects/dialect.ts';
import {
  boundedGeneration,
  hasCall,
  type JsonText,
  type TranslatedRequest,
} from '../dialects/translate-request.ts';
import type { GenerationEnd, HeldGeneration } from '../runtime/generation.ts';
import type { RuntimeClient } from '../runtime/runtime-client.ts';
import { ReplyBuilder } from '../stream/reply-builder.ts';
import type { RequestTranslator } from '../translation/request-translator.ts';
import { TranslationEndedError } from '../translation/translation-thread.ts';
import { prepareSchemas } from '../verify/prepare-schemas.ts';
import { checkReply, findCallFault } from '../verify/reply-fault.ts';
import type { SchemaChecker } from '../verify/schema-checker.ts';
import { decideOutputBound, mayExceedContext, type OutputBound } from './output-bound.ts';

export interface RunOptions {
  readonly runtime: RuntimeClient;
  /** The dialect of the runtime at this moment. It may change, because another runtime may take over the address. */
  readonly dialect: () => Dialect;
  readonly translator: RequestTranslator;
  readonly schemas: SchemaChecker;
  /** Whether organizations may share a prefix cache on runtimes that cannot separate caches. */
  readonly sharedCache: boolean;
  /** Whether the runtime gets the scheduling class as the priority of the request. */
  readonly priorities: boolean;
  readonly maxPayload: () => number;
  readonly clock: () => number;
}

export interface RunContext {
  readonly options: RunOptions;
  readonly charge: (tokens: number) => void;
  readonly span: TraceSpan;
}

/** A request that is ready for the runtime, with the parts that are needed while the reply arrives. */
interface PreparedRequest extends HeldGeneration {
  readonly promised: PromisedReply;
  readonly callIds: string;
  readonly output: OutputBound;
}

/** The delay that a client is asked to wait after its request took too long to translate. */
const RETRY_AFTER_MS = 1_000;
const TOKENIZER_TIMEOUT_MS = 10_000;
/** A reply that does not stream is one frame. This is room for the other frames in the same message. */
const REPLY_MARGIN_BYTES = 64 * 1024;

/**
 * Runs an attempt on the runtime, from the body of the client's request to the outcome. The promise never rejects, and
 * it resolves soon after the attempt is stopped.
 */
export async function runAttempt(attempt: Attempt, context: RunContext): Promise<AttemptOutcome> {
  try {
    return await answer(attempt, context);
  } catch (thrown) {
    if (attempt.stopReason !== undefined) return outcomeOfStop(attempt.stopReason);
    return { kind: 'failed', failure: AttemptFailure.from(thrown) };
  }
}

async function answer(attempt: Attempt, context: RunContext): Promise<AttemptOutcome> {
  const { options } = context;
  const request = await untilStopped(attempt, prepare(attempt, options));
  const { bound } = request.output;
  let end = await generate(attempt, request, bound, context);
  // A bound that the client did not ask for must not cause a refusal, so the request is repeated without the bound.
  // After the first output it is not repeated, because the client would get this output twice.
  const canDropBound = bound !== undefined && !attempt.header.output_bound_requested;
  if (canDropBound && isOutOfContext(end) && !attempt.progress.hasOutput) {
    end = await generate(attempt, request, undefined, context);
  }
  if (end.kind === 'failed') throw end.failure;
  return untilStopped(attempt, verify(attempt, request.promised, end.reply, options.schemas));
}

/** Rejects as soon as the attempt is stopped. */
function untilStopped<Result>(attempt: Attempt, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    attempt.onStop(() => reject(new Error('the attempt was stopped')));
    work.then(resolve, reject);
  });
}

async function prepare(attempt: Attempt, options: RunOptions): Promise<PreparedRequest> {
  attempt.throwIfStopped();
  const { header, progress } = attempt;
  progress.preparing = true;
  const dialect = options.dialect();
  const request = await translate(attempt, dialect, options);
  attempt.throwIfStopped();
  progress.mayContainToolCall = request.mayContainToolCall;
  await prepareSchemas(request, {
    organization: header.organization,
    schemas: options.schemas,
  });
  progress.preparing = false;
  progress.lastActivityAt = options.clock();
  const output = await decideOutputBound(header, attempt, () =>
    countPrompt(attempt, dialect, request, options.runtime),
  );
  const { promised, callIds, generation } = request;
  return { promised, callIds, output, generation };
}

async function translate(
  attempt: Attempt,
  dialect: Dialect,
  { translator, sharedCache, priorities }: RunOptions,
): Promise<TranslatedRequest> {
  const { header, bodyBytes } = attempt;
  try {
    return await translator.translate(attempt.takeBody(), dialect, {
      header,
      sharedCache,
      priorities,
      countsPrompt: mayExceedContext(header, bodyBytes),
      isWanted: () => !attempt.stopped,
    });
  } catch (error) {
    if (error instanceof TranslationEndedError) {
      // Not retryable: another worker would spend the same time on it. The client may try again later.
      throw new AttemptFailure('worker_busy', { retryable: false, retryAfterMs: RETRY_AFTER_MS });
    }
    // The cause is left out, because its message may quote the prompt.
    throw new AttemptFailure('invalid_request', { retryable: false });
  }
}

async function countPrompt(
  { header }: Attempt,
  dialect: Dialect,
  { promptLengthRequest: question }: TranslatedRequest,
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

function generate(
  attempt: Attempt,
  request: PreparedRequest,
  bound: number | undefined,
  context: RunContext,
): Promise<GenerationEnd> {
  attempt.throwIfStopped();
  const { options, charge, span } = context;
  const { runtime, clock } = options;
  const headers = { [HeaderName.requestId]: attempt.header.request, ...traceHeaders(span) };
  const body = boundedGeneration(request.generation, bound);
  const reply = newReply(attempt, request, bound, options);
  const generation = runtime.generate(body, headers, { attempt, request, reply, charge, clock });
  attempt.onStop(() => generation.abort());
  return generation.ended;
}

function newReply(
  { header, channel }: Attempt,
  { promised, callIds, output }: PreparedRequest,
  bound: number | undefined,
  options: RunOptions,
): ReplyBuilder {
  return new ReplyBuilder({
    stream: header.stream,
    reasoningAlways: header.reasoning_history === 'required',
    keepContent: promised.promisedSchema !== undefined || promised.promisesObject,
    callFirst: demandsCall(promised),
    reportCached: options.dialect().separatesCaches || options.sharedCache,
    promptTokens: output.promptTokens ?? header.estimated_input_tokens,
    outputBound: bound,
    contextLength: header.context_length,
    forcedFunction: forcedFunction(promised),
    onCall: (name, earlierCalls) => checkCall(promised, name, earlierCalls),
    isUsedCallId: (id) => hasCall(callIds, id),
    maxReplyBytes: options.maxPayload() - REPLY_MARGIN_BYTES,
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

/** Checks the reply against what was promised to the client. */
async function verify(
  { header }: Attempt,
  promised: PromisedReply,
  reply: ReplyBuilder,
  schemas: SchemaChecker,
): Promise<AttemptOutcome> {
  const { frames, finishReason, usage } = reply.finish();
  const { calls, content } = reply;
  const fault = await checkReply(
    { finishReason, calls, content },
    { promised, organization: header.organization, schemas },
  );
  if (fault !== undefined) throw AttemptFailure.brokenPromise(fault);
  return { kind: 'finished', frames, finishReason, usage: tokenUsageOf(usage) };
}
