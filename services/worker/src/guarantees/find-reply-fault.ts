import type { FinishReason } from '@sluice/contracts';
import { demandedFunction, type PromisedReply } from '../dialect/client-request.ts';
import { isJson } from '../json/json.ts';
import type { WireCall } from '../reply/tool-calls.ts';
import type { SchemaChecker } from './schema-checker.ts';

/** Where an answer breaks a promise to its client; of an unchecked one nothing is known. */
export const REPLY_FAULTS = [
  'schema_differs',
  'schema_unchecked',
  'tool_choice_differs',
  'arguments_not_json',
] as const;
type ReplyFault = (typeof REPLY_FAULTS)[number];

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

/** Answers that were cut short are held to nothing: their end is missing. */
export async function findReplyFault(
  { finishReason, calls, content }: Answer,
  { promised, organization, schemas }: ReplyCheckOptions,
): Promise<ReplyFault | undefined> {
  const isWhole = finishReason === 'stop' || finishReason === 'tool_calls';
  if (isWhole && !keepsToChoice(promised, calls)) return 'tool_choice_differs';
  if (finishReason === 'tool_calls' && !haveJsonArguments(calls)) return 'arguments_not_json';
  const schema = finishReason === 'stop' ? promised.promisedSchema : undefined;
  if (schema === undefined) return undefined;
  const verdict = await schemas.check(organization, schema, content);
  if (verdict === 'differs') return 'schema_differs';
  return verdict === 'unchecked' ? 'schema_unchecked' : undefined;
}

/** The other choices are the runtime's to keep to. */
function keepsToChoice(promised: PromisedReply, calls: readonly WireCall[]): boolean {
  const demanded = demandedFunction(promised);
  if (demanded === undefined) return true;
  return calls.length > 0 && calls.every(({ function: called }) => called.name === demanded);
}

function haveJsonArguments(calls: readonly WireCall[]): boolean {
  return calls.every(({ function: called }) => isJson(called.arguments));
}
