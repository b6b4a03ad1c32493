import type { JobHeader } from '@sluice/contracts';
import { listOf, objectOf, textOf } from '../json/json.ts';
import {
  mayCallFunctions,
  promisedReply,
  readClientRequest,
  type ClientRequest,
  type PromisedReply,
} from './client-request.ts';
import type { Dialect } from './dialect.ts';

/** JSON as it is sent: text, or bytes if it was made in a thread. */
export type JsonText = string | Uint8Array;

/**
 * The parts of the client's request that an attempt needs. Large parts are text, because text takes the least time to
 * send between threads.
 */
export interface TranslatedRequest {
  /** What the reply must fulfil. */
  readonly promised: PromisedReply;
  /** The names of the functions, in the order of the tools. */
  readonly functions: readonly string[];
  /** Whether the reply may contain calls. */
  readonly mayContainToolCall: boolean;
  /** The ids of the calls in the conversation, as a JSON list. */
  readonly callIds: string;
  /** The body of the request for a generation, without `max_tokens`. */
  readonly generation: JsonText;
  /**
   * The request that asks the runtime for the length of the prompt. Undefined if the length is not needed, or the
   * runtime cannot tell it.
   */
  readonly promptLengthRequest: { readonly path: string; readonly body: JsonText } | undefined;
}

export interface TranslationSettings {
  readonly header: JobHeader;
  readonly sharedCache: boolean;
  readonly priorities: boolean;
  /** Whether the runtime will be asked for the length of the prompt. */
  readonly countsPrompt: boolean;
}

/** Translates a client's request to the dialect of the runtime. Large bodies are translated in a thread. */
export function translateRequest(
  body: Uint8Array,
  dialect: Dialect,
  { header, sharedCache, priorities, countsPrompt }: TranslationSettings,
): TranslatedRequest {
  const request = readClientRequest(body);
  const question = countsPrompt ? dialect.promptLengthRequest(request, header) : undefined;
  return {
    promised: promisedReply(request),
    functions: request.tools.map((tool) => String(objectOf(tool['function'])?.['name'])),
    mayContainToolCall: mayCallFunctions(request),
    callIds: JSON.stringify(callIdsOf(request)),
    generation: JSON.stringify(dialect.requestBody(request, header, { sharedCache, priorities })),
    promptLengthRequest: question && { path: question.path, body: JSON.stringify(question.body) },
  };
}

/** The body of the request for a generation, with `max_tokens` if there is a bound. */
export function boundedGeneration(generation: JsonText, bound: number | undefined): JsonText {
  if (bound === undefined) return generation;
  const end = `,"max_tokens":${bound}}`;
  if (typeof generation === 'string') return generation.slice(0, -1) + end;
  return Buffer.concat([generation.subarray(0, -1), Buffer.from(end)]);
}

/** Whether the conversation already has a call with this id. */
export function hasCall(callIds: string, id: string): boolean {
  // The search includes the quotes, so it finds only whole ids: quotes inside an id are escaped in JSON. The id `,` is
  // also found between two other ids. That does no harm, because a used id is only replaced by a new one.
  return callIds.includes(JSON.stringify(id));
}

function callIdsOf({ messages }: ClientRequest): readonly string[] {
  return messages
    .flatMap(({ tool_calls: calls }) => listOf(calls).map((call) => textOf(objectOf(call)?.['id'])))
    .filter((id) => id !== undefined);
}
