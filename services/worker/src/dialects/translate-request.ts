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

/** JSON as it is sent: text, or its bytes where it has come from a thread. */
export type JsonText = string | Uint8Array;

/** All that a run needs of its client's request. Crosses threads, so what is large in it is written and not an object. */
export interface TranslatedRequest {
  readonly promised: PromisedReply;
  /** The names of the functions, in the order of the tools. */
  readonly functions: readonly string[];
  /** Whether the answer may have calls in it. */
  readonly mayCall: boolean;
  /** The ids of the calls in the conversation, as a JSON list. */
  readonly callIds: string;
  /** What the runtime is asked for an answer with, but for the bound of its output. */
  readonly generation: JsonText;
  /** What to ask the runtime for the prompt's length, where that was wanted and can be asked. */
  readonly promptQuestion: { readonly path: string; readonly body: JsonText } | undefined;
}

export interface TranslationSettings {
  readonly header: JobHeader;
  readonly sharedCache: boolean;
  /** Whether the runtime will be asked for the prompt's length. */
  readonly countsPrompt: boolean;
}

/** Reads a client's request, and writes what its runtime is asked. Takes time with what is in the body. */
export function translateRequest(
  body: Uint8Array,
  dialect: Dialect,
  { header, sharedCache, countsPrompt }: TranslationSettings,
): TranslatedRequest {
  const request = readClientRequest(body);
  const question = countsPrompt ? dialect.promptQuestion(request, header) : undefined;
  return {
    promised: promisedReply(request),
    functions: request.tools.map((tool) => String(objectOf(tool['function'])?.['name'])),
    mayCall: mayCallFunctions(request),
    callIds: JSON.stringify(callIdsOf(request)),
    generation: JSON.stringify(dialect.requestBody(request, header, { sharedCache })),
    promptQuestion: question && { path: question.path, body: JSON.stringify(question.body) },
  };
}

/** What the runtime is asked, with the most tokens that it may generate; undefined leaves it to the runtime. */
export function boundedGeneration(generation: JsonText, bound: number | undefined): JsonText {
  if (bound === undefined) return generation;
  const end = `,"max_tokens":${bound}}`;
  if (typeof generation === 'string') return generation.slice(0, -1) + end;
  return Buffer.concat([generation.subarray(0, -1), Buffer.from(end)]);
}

/** Whether the conversation has a call of this id already. */
export function hasCall(callIds: string, id: string): boolean {
  // A quote inside of an id is escaped, so that what stands between two bare ones is a whole id, or the comma.
  return callIds.includes(JSON.stringify(id));
}

function callIdsOf({ messages }: ClientRequest): readonly string[] {
  return messages
    .flatMap(({ tool_calls: calls }) => listOf(calls).map((call) => textOf(objectOf(call)?.['id'])))
    .filter((id) => id !== undefined);
}
