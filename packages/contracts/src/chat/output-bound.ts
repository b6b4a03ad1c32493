import type { CatalogModel } from './model.ts';
import type { ChatCompletionRequest } from './request.ts';

type OutputParameters = Pick<ChatCompletionRequest, 'max_completion_tokens' | 'max_tokens'>;
type OutputLimits = Pick<
  CatalogModel,
  'context_length' | 'max_output_tokens' | 'default_parameters'
>;

export interface RequestedOutput {
  readonly parameter: 'max_completion_tokens' | 'max_tokens';
  readonly tokens: number;
}

/** The bound that the client asked for, and by which parameter. */
export function requestedOutput(request: OutputParameters): RequestedOutput | undefined {
  if (request.max_completion_tokens !== undefined) {
    return { parameter: 'max_completion_tokens', tokens: request.max_completion_tokens };
  }
  if (request.max_tokens !== undefined) {
    return { parameter: 'max_tokens', tokens: request.max_tokens };
  }
  return undefined;
}

/** A job says its bound exactly. Nothing generates as many, so that cutting to it changes no answer. */
const MOST_TOKENS = Number.MAX_SAFE_INTEGER;

/** No prompt is shorter, so this much of the context is taken before anything is counted. */
const LEAST_PROMPT_TOKENS = 1;

/**
 * The most tokens to generate: what the client asked for; else the model's default, cut to what the
 * shortest prompt leaves of the context. Undefined where neither says anything.
 *
 * How long the prompt truly is, the gateway does not know. Whoever learns it cuts again: an estimate
 * above the truth would shorten answers, one below it would refuse what the client never asked for.
 */
export function outputBound(request: OutputParameters, model: OutputLimits): number | undefined {
  const requested = requestedOutput(request);
  if (requested !== undefined) return Math.min(requested.tokens, MOST_TOKENS);
  const fallback = model.default_parameters?.max_tokens ?? model.max_output_tokens;
  if (fallback === undefined || model.context_length === undefined) return fallback;
  return Math.min(fallback, Math.max(1, model.context_length - LEAST_PROMPT_TOKENS));
}
