import { jsonBytes, MAXIMUM_NESTING, memberNames, namesOfExcess } from '@sluice/contracts';
import type * as z from 'zod';
import { findArgumentsFault } from './argument-values.ts';
import {
  type RequestFault,
  faultOfIssue,
  invalidValue,
  missingParameter,
  showableName,
  unsupportedParameter,
  unsupportedValue,
} from './fault.ts';
import type { JsonObject } from './fields.ts';
import type { Message } from './message.ts';
import {
  type ChatCompletionRequest,
  ChatCompletionRequestBody,
  FIXED_PARAMETERS,
  INERT_PARAMETERS,
  type ParameterName,
  type JsonSchemaFormat,
  type Tool,
} from './request.ts';
import { findSchemaFault } from './schema-fault.ts';

export type RequestVerdict =
  | { readonly ok: true; readonly request: ChatCompletionRequest }
  | { readonly ok: false; readonly fault: RequestFault };

/** The parameters that have been read so far. The rule of a parameter uses only this one and earlier ones. */
type PartialRequest = {
  -readonly [Name in keyof ChatCompletionRequest]?: ChatCompletionRequest[Name];
};

interface Parameter {
  readonly name: ParameterName;
  readonly schema: z.ZodType;
  readonly required: boolean;
  /** Whether it is one of `FIXED_PARAMETERS`. */
  readonly fixed: boolean;
  /** Whether it is one of `INERT_PARAMETERS`. */
  readonly inert: boolean;
  readonly rule: ((request: PartialRequest) => RequestFault | undefined) | undefined;
}

/** Rules that the schema of one parameter cannot express. A rule about two parameters belongs to the later one. */
const rules: { readonly [Name in ParameterName]?: Parameter['rule'] } = {
  messages: ({ messages }) =>
    messages && (findSequenceFault(messages) ?? findArgumentsFault(messages)),
  stream_options: ({ stream }) =>
    stream === true
      ? undefined
      : invalidValue('stream_options', 'can be set only together with stream: true'),
  max_tokens: ({ max_completion_tokens: other }) =>
    other === undefined
      ? undefined
      : invalidValue('max_tokens', 'cannot be set together with max_completion_tokens'),
  tools: ({ tools }) => tools && (findRepeatedName(tools) ?? findParametersFault(tools)),
  tool_choice: findToolChoiceFault,
  parallel_tool_calls: ({ tools }) =>
    tools === undefined ? needsTools('parallel_tool_calls') : undefined,
  response_format: ({ response_format: format }) =>
    format?.type === 'json_schema' ? findFormatFault(format.json_schema) : undefined,
};

/**
 * No token limit charges for a schema, but workers parse it. This is twice the size of the largest schema that the
 * OpenAI API allows.
 */
const MAXIMUM_FORMAT_BYTES = 1_000_000;

const parameters: readonly Parameter[] = ChatCompletionRequestBody.keyof().options.map((name) => {
  const schema = ChatCompletionRequestBody.shape[name];
  return {
    name,
    schema,
    required: !schema.safeParse(undefined).success,
    fixed: FIXED_PARAMETERS.some((fixed) => fixed === name),
    inert: INERT_PARAMETERS.some((inert) => inert === name),
    rule: rules[name],
  };
});
const listed: ReadonlySet<string> = new Set(parameters.map(({ name }) => name));

const NESTING_RULE = `is nested too deeply: a body has at most ${MAXIMUM_NESTING} levels`;
const LOOKS_LIKE_A_NUMBER = /^\d+$/;

/**
 * Only one fault is reported, so zod should stop at the first. The flag is missing in the types of zod. A test fails if
 * it stops working.
 */
const stopAtFirstFault: z.core.ParseContext<z.core.$ZodIssue> & { readonly abortEarly: true } = {
  abortEarly: true,
};

/**
 * Validates a body that was parsed from this source. Reports one fault: the first unlisted parameter, or else the first
 * fault in the order of the parameter table.
 */
export function validateChatRequest(body: JsonObject, source: Uint8Array): RequestVerdict {
  const unlisted = findUnlisted(body, source);
  if (unlisted !== undefined) {
    return { ok: false, fault: unsupportedParameter(showableName(unlisted)) };
  }
  const tooDeep = namesOfExcess(source, MAXIMUM_NESTING);
  const request: PartialRequest = {};
  for (const parameter of parameters) {
    const { name } = parameter;
    // Checked before the value is validated, because validation is recursive.
    const fault = tooDeep.has(name)
      ? invalidValue(name, NESTING_RULE)
      : readParameter(parameter, body[name], request);
    if (fault !== undefined) return { ok: false, fault };
  }
  return isComplete(request)
    ? { ok: true, request }
    : { ok: false, fault: missingParameter(request.model === undefined ? 'model' : 'messages') };
}

/**
 * The first unlisted name in the order of the source. The keys of a JavaScript object have the same order, except that
 * number-like names come first.
 */
function findUnlisted(body: JsonObject, source: Uint8Array): string | undefined {
  const unlisted = Object.keys(body).find((name) => !listed.has(name));
  // The order in the source matters only if the first unlisted key looks like a number.
  if (unlisted === undefined || !LOOKS_LIKE_A_NUMBER.test(unlisted)) return unlisted;
  for (const name of memberNames(source)) if (!listed.has(name)) return name;
  return unlisted;
}

function isComplete(request: PartialRequest): request is ChatCompletionRequest {
  return request.model !== undefined && request.messages !== undefined;
}

function readParameter(
  { name, schema, required, fixed, inert, rule }: Parameter,
  value: unknown,
  request: PartialRequest,
): RequestFault | undefined {
  if (value === undefined || (value === null && !required)) {
    return required ? missingParameter(name) : undefined;
  }
  const result = schema.safeParse(value, stopAtFirstFault);
  if (!result.success) {
    const [issue] = result.error.issues;
    return issue === undefined || fixed
      ? unsupportedValue(name, issue?.message ?? 'is not accepted')
      : faultOfIssue(name, value, issue);
  }
  if (inert || result.data === undefined) return undefined;
  (request as Record<string, unknown>)[name] = result.data;
  return rule?.(request);
}

function needsTools(param: ParameterName): RequestFault {
  return invalidValue(param, 'can be set only together with tools');
}

function findRepeatedName(tools: readonly Tool[]): RequestFault | undefined {
  const names = new Set<string>();
  for (const [index, { function: definition }] of tools.entries()) {
    if (names.has(definition.name)) {
      return invalidValue(`tools[${index}].function.name`, 'must be unique within tools');
    }
    names.add(definition.name);
  }
  return undefined;
}

function findParametersFault(tools: readonly Tool[]): RequestFault | undefined {
  for (const [index, { function: definition }] of tools.entries()) {
    const fault = faultOfSchema(`tools[${index}].function.parameters`, definition.parameters);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findFormatFault(format: JsonSchemaFormat): RequestFault | undefined {
  if (jsonBytes(format) > MAXIMUM_FORMAT_BYTES) {
    return invalidValue(
      'response_format.json_schema',
      `must be at most ${MAXIMUM_FORMAT_BYTES} bytes long as JSON`,
    );
  }
  return faultOfSchema('response_format.json_schema.schema', format.schema);
}

/** Refuses a schema that a runtime could not use, before it costs a worker's time. */
function faultOfSchema(param: string, schema: JsonObject | undefined): RequestFault | undefined {
  const fault = schema && findSchemaFault(schema);
  if (fault === undefined) return undefined;
  const keyword = showableName(fault.keyword);
  return invalidValue(
    param,
    fault.limit === undefined
      ? `is not a valid JSON Schema: the value of '${keyword}' is not allowed`
      : `is a larger JSON Schema than allowed: '${keyword}' ${fault.limit}`,
  );
}

function findToolChoiceFault({
  tools,
  tool_choice: choice,
}: PartialRequest): RequestFault | undefined {
  if (tools === undefined) return needsTools('tool_choice');
  if (choice === undefined || typeof choice === 'string') return undefined;
  const known = tools.some(({ function: { name } }) => name === choice.function.name);
  return known
    ? undefined
    : invalidValue('tool_choice.function.name', 'must name one of the functions in tools');
}

/** Rules between messages: every tool call is answered exactly once before any other message. */
function findSequenceFault(messages: readonly Message[]): RequestFault | undefined {
  // Counted, because ids may repeat within a turn.
  const unanswered = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const open = unanswered.get(message.tool_call_id);
      if (open === undefined) {
        return invalidValue(
          `messages[${index}]`,
          'must answer, once, a call of the nearest earlier assistant message that has tool_calls',
        );
      }
      if (open === 1) unanswered.delete(message.tool_call_id);
      else unanswered.set(message.tool_call_id, open - 1);
      continue;
    }
    if (unanswered.size > 0) {
      return invalidValue(
        `messages[${index}]`,
        'must be a tool message: the tool_calls before it are not all answered',
      );
    }
    if (message.role !== 'assistant') continue;
    if (message.tool_calls === undefined) {
      if (message.content === undefined) return missingParameter(`messages[${index}].content`);
      continue;
    }
    for (const { id } of message.tool_calls) unanswered.set(id, (unanswered.get(id) ?? 0) + 1);
  }
  return undefined;
}
