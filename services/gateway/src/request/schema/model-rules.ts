import { CALL_ID_WITHOUT_REASONING, type CatalogModel } from '@sluice/contracts';
import { type RequestFault, invalidValue, missingParameter, unsupportedValue } from './fault.ts';
import type { AssistantMessage, Message } from './message.ts';
import type { ChatCompletionRequest } from './request.ts';

export interface ModelFault extends Omit<RequestFault, 'code'> {
  readonly code: RequestFault['code'] | 'context_length_exceeded';
}

type ModelRules = Pick<
  CatalogModel,
  'reasoning' | 'reasoning_history' | 'context_length' | 'max_output_tokens'
>;

/** The rules that depend on the model, in the order of the parameter table. */
export function validateAgainstModel(
  request: ChatCompletionRequest,
  model: ModelRules,
): ModelFault | undefined {
  return (
    (model.reasoning_history === 'required' ? findMissingReasoning(request.messages) : undefined) ??
    findOutputFault(request, model) ??
    findEffortFault(request, model)
  );
}

function findMissingReasoning(messages: readonly Message[]): ModelFault | undefined {
  const index = messages.findIndex(
    (message) => message.role === 'assistant' && lacksReasoning(message),
  );
  return index === -1 ? undefined : missingParameter(`messages[${index}].reasoning_content`);
}

/**
 * Whether the client left out reasoning that the model had returned. If the model returned none, the ids of its calls
 * begin with `CALL_ID_WITHOUT_REASONING`.
 */
function lacksReasoning({ reasoning_content, tool_calls }: AssistantMessage): boolean {
  if (reasoning_content !== undefined) return false;
  return !tool_calls?.every(({ id }) => id.startsWith(CALL_ID_WITHOUT_REASONING));
}

function findOutputFault(
  request: ChatCompletionRequest,
  { context_length, max_output_tokens }: ModelRules,
): ModelFault | undefined {
  const requested = requestedOutput(request);
  if (requested === undefined) return undefined;
  if (context_length !== undefined && requested.tokens >= context_length) {
    return {
      code: 'context_length_exceeded',
      param: 'messages',
      // litellm recognizes this error by the beginning of its message.
      message:
        `This model's maximum context length is ${context_length} tokens, prompt and output together; ` +
        `${requested.parameter} asks for ${requested.tokens} tokens of output. ` +
        'Ask for less, or shorten the messages.',
    };
  }
  if (max_output_tokens !== undefined && requested.tokens > max_output_tokens) {
    return invalidValue(requested.parameter, `must be at most ${max_output_tokens} for this model`);
  }
  return undefined;
}

function findEffortFault(
  { reasoning_effort }: ChatCompletionRequest,
  { reasoning }: ModelRules,
): ModelFault | undefined {
  if (reasoning_effort === undefined || reasoning === undefined) return undefined;
  const efforts = reasoning.supported_efforts;
  return efforts.includes(reasoning_effort)
    ? undefined
    : unsupportedValue('reasoning_effort', `must be one of ${efforts.join(', ')} for this model`);
}

type OutputParameters = Pick<ChatCompletionRequest, 'max_completion_tokens' | 'max_tokens'>;
type OutputLimits = Pick<
  CatalogModel,
  'context_length' | 'max_output_tokens' | 'default_parameters'
>;

export interface RequestedOutput {
  readonly parameter: 'max_completion_tokens' | 'max_tokens';
  readonly tokens: number;
}

/** The output bound that the client requested, and the parameter that holds it. */
export function requestedOutput(request: OutputParameters): RequestedOutput | undefined {
  if (request.max_completion_tokens !== undefined) {
    return { parameter: 'max_completion_tokens', tokens: request.max_completion_tokens };
  }
  if (request.max_tokens !== undefined) {
    return { parameter: 'max_tokens', tokens: request.max_tokens };
  }
  return undefined;
}

/** The largest integer that a job can hold exactly. No answer is that long. */
const MAX_TOKENS = Number.MAX_SAFE_INTEGER;

/** Tokens of the shortest possible prompt. */
const MIN_PROMPT_TOKENS = 1;

/**
 * The maximum number of tokens to generate: the number that the client requested, or else the model's default, reduced
 * to what the shortest prompt leaves of the context. Undefined if neither exists.
 *
 * The gateway does not know the real length of the prompt, so the worker reduces the bound again. If the gateway used
 * an estimate instead, one above the real length would shorten answers, and one below it would make runtimes refuse
 * requests because of a bound that the client did not set.
 */
export function outputBound(request: OutputParameters, model: OutputLimits): number | undefined {
  const requested = requestedOutput(request);
  if (requested !== undefined) return Math.min(requested.tokens, MAX_TOKENS);
  const fallback = model.default_parameters?.max_tokens ?? model.max_output_tokens;
  if (fallback === undefined || model.context_length === undefined) return fallback;
  return Math.min(fallback, Math.max(1, model.context_length - MIN_PROMPT_TOKENS));
}
