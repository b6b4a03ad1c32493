import type { FinishReason } from '@sluice/contracts';
import { demandedFunction, demandsCall, type PromisedReply } from '../dialect/client-request.ts';
import { schemaTextOf } from '../dialect/schema-text.ts';
import type { ReplyFault } from '../domain/reply-fault.ts';
import { isJson, isJsonObject, parseJson } from '../json/json.ts';
import type { WireCall } from '../reply/tool-calls.ts';
import type { SchemaChecker } from './schema-checker.ts';

export interface Answer {
  readonly finishReason: FinishReason;
  readonly calls: readonly WireCall[];
  readonly content: string;
}

export interface ReplyCheckOptions {
  readonly promised: PromisedReply;
  readonly organization: string;
  readonly schemas: Pick<SchemaChecker, 'check'>;
}

const ANY_JSON = schemaTextOf({});
/** The schema of `json_object`. */
const ANY_OBJECT = schemaTextOf({ type: 'object' });
/** Text of up to so many characters is parsed here, in 2 ms if it is all nested arrays; longer text in the thread. */
const PARSED_HERE = 8 * 1_024;

/** The promise that a call of this function breaks, after so many others. */
export function findCallFault(
  promised: PromisedReply,
  name: string,
  earlierCalls: number,
): ReplyFault | undefined {
  if (promised.toolChoice === 'none') return 'tool_choice_differs';
  if ((demandedFunction(promised) ?? name) !== name) return 'tool_choice_differs';
  return earlierCalls > 0 && !promised.parallelCalls ? 'parallel_calls' : undefined;
}

/** The promise that a reply breaks whose calls were in order one by one. One that was cut short is held to nothing. */
export async function findReplyFault(
  { finishReason, calls, content }: Answer,
  options: ReplyCheckOptions,
): Promise<ReplyFault | undefined> {
  if (finishReason !== 'stop' && finishReason !== 'tool_calls') return undefined;
  if (calls.length > 0) return findArgumentsFault(calls, options);
  if (demandsCall(options.promised)) return 'tool_choice_differs';
  return findContentFault(content, options);
}

async function findArgumentsFault(
  calls: readonly WireCall[],
  { promised, organization, schemas }: ReplyCheckOptions,
): Promise<ReplyFault | undefined> {
  for (const { function: called } of calls) {
    const text = called.arguments;
    const isShort = text.length <= PARSED_HERE;
    if (isShort && !isJson(text)) return 'arguments_not_json';
    const parameters = promised.strictParameters.get(called.name);
    if (isShort && parameters === undefined) continue;
    const verdict = await schemas.check(organization, parameters ?? ANY_JSON, text);
    if (verdict === 'unchecked') return 'schema_unchecked';
    if (verdict === 'differs') {
      return parameters === undefined ? 'arguments_not_json' : 'arguments_differ';
    }
  }
  return undefined;
}

async function findContentFault(
  content: string,
  { promised, organization, schemas }: ReplyCheckOptions,
): Promise<ReplyFault | undefined> {
  const { promisedSchema, promisesObject } = promised;
  if (promisesObject && content.length <= PARSED_HERE) {
    return isObjectText(content) ? undefined : 'not_json_object';
  }
  const schema = promisesObject ? ANY_OBJECT : promisedSchema;
  if (schema === undefined) return undefined;
  const verdict = await schemas.check(organization, schema, content);
  if (verdict === 'unchecked') return 'schema_unchecked';
  if (verdict === 'matches') return undefined;
  return promisesObject ? 'not_json_object' : 'schema_differs';
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(parseJson(text));
  } catch {
    return false;
  }
}
