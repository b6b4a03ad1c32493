import type { FinishReason } from '@sluice/contracts';
import type { ReplyFault } from '../attempt/attempt-failure.ts';
import { demandsCall, forcedFunction, type PromisedReply } from '../dialects/client-request.ts';
import { schemaTextOf } from '../dialects/schema-text.ts';
import { isJson, isJsonObject, parseJson } from '../json/json.ts';
import type { WireCall } from '../stream/tool-calls.ts';
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
/**
 * In characters. Longer text is parsed in the schema thread. The slowest text of this length, nested arrays, takes 2
 * ms.
 */
const MAX_PARSED_IN_MAIN_THREAD = 8 * 1_024;

/**
 * How a call of the named function breaks a promise to the client. Undefined if it does not. `earlierCalls` is the
 * number of earlier calls in the same reply.
 */
export function findCallFault(
  promised: PromisedReply,
  name: string,
  earlierCalls: number,
): ReplyFault | undefined {
  if (promised.toolChoice === 'none') return 'tool_choice_differs';
  const forced = forcedFunction(promised);
  if (forced !== undefined && forced !== name) return 'tool_choice_differs';
  return earlierCalls > 0 && !promised.parallelCalls ? 'parallel_calls' : undefined;
}

/**
 * How a complete reply breaks a promise to the client. Undefined if it does not, or if the reply was cut short and
 * cannot be checked. Its calls have passed `findCallFault` already.
 */
export async function checkReply(
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
    // Short text is parsed here, which is enough if there is no schema. Everything else is checked in the schema
    // thread.
    const isShort = text.length <= MAX_PARSED_IN_MAIN_THREAD;
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
  if (promisesObject && content.length <= MAX_PARSED_IN_MAIN_THREAD) {
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
