import { jsonBytes } from './json-bytes.ts';
import type { ChatCompletionRequest } from './request.ts';

/**
 * The prompt's size: UTF-8 bytes of its messages and tools as compact JSON, strings counted as
 * they read rather than as they are escaped. Computed from the validated request, so whitespace,
 * escapes, dropped fields and other parameters make no difference, and every gateway gets the same.
 *
 * Escapes are left out because the model never sees them, and because finding them takes a look
 * at every character: as long as writing the JSON, and ten times what counting bytes takes.
 */
export function promptBytes({
  messages,
  tools,
}: Pick<ChatCompletionRequest, 'messages' | 'tools'>): number {
  return jsonBytes(messages) + (tools === undefined ? 0 : jsonBytes(tools));
}

/** A ratio counts to its sixth decimal. */
const MILLION = 1_000_000;

/** The input tokens that admission charges, before any tokenizer has seen the request. */
export function estimateInputTokens(
  request: Pick<ChatCompletionRequest, 'messages' | 'tools'>,
  ratio: number,
): number {
  // In integers: in floating point 100 bytes at 0.07 tokens a byte are a little more than 7, so 8.
  const millionths = promptBytes(request) * Math.round(ratio * MILLION);
  const rest = millionths % MILLION;
  return Math.max(1, (millionths - rest) / MILLION + (rest === 0 ? 0 : 1));
}
