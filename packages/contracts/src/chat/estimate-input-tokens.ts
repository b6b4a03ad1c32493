import { isJsonObject } from './fields.ts';
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

function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value) + '""'.length;
  if (Array.isArray(value)) {
    let bytes = '[]'.length + Math.max(0, value.length - 1);
    for (const element of value) bytes += jsonBytes(element);
    return bytes;
  }
  if (isJsonObject(value)) {
    let bytes = 0;
    // Not by entries: making a pair of each takes longer than all the rest.
    for (const key of Object.keys(value)) {
      const field = value[key];
      if (field !== undefined) bytes += textBytes(key) + '"":,'.length + jsonBytes(field);
    }
    // As many braces and commas as fields, and one more.
    return bytes === 0 ? '{}'.length : bytes + 1;
  }
  return String(value).length;
}

const SHORT_TEXT = 48;

/** Names and small words are most of a tool's schema: for them a loop beats the native call. */
function textBytes(text: string): number {
  if (text.length > SHORT_TEXT) return Buffer.byteLength(text);
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.byteLength(text);
  }
  return text.length;
}
