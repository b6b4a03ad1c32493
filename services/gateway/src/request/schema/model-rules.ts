import { CALL_ID_WITHOUT_REASONING } from '../ids.ts';
import { type RequestFault, invalidValue, missingParameter, unsupportedValue } from './fault.ts';
import type { AssistantMessage, Message } from './message.ts';
import type { CatalogModel } from './model.ts';
import { requestedOutput } from './output-bound.ts';
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

/** A step that the model itself returned without reasoning comes back without it, and is let through. */
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
      // litellm knows the refusal by how this begins.
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
