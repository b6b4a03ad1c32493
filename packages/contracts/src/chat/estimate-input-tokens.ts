/** The parts of a request that are its prompt. */
interface PromptParts {
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
}

/**
 * The prompt's size: the UTF-8 bytes of its messages and tools as compact JSON with unescaped strings. It is computed
 * from the validated request. Whitespace, escapes, dropped fields and other parameters therefore make no difference,
 * and every gateway gets the same size.
 *
 * Escapes are not counted, because the model never sees them. Counting them would mean reading every character, which
 * takes ten times as long as counting bytes.
 */
export function promptBytes({ messages, tools }: PromptParts): number {
  return jsonBytes(messages) + (tools === undefined ? 0 : jsonBytes(tools));
}

/** Ratios are used with six decimals. */
const MILLION = 1_000_000;

/** The input tokens that admission charges. Only the runtime has a tokenizer, so this is an estimate from bytes. */
export function estimateInputTokens(request: PromptParts, tokensPerByte: number): number {
  // Integers, because in floating point 100 bytes × 0.07 tokens are a little more than 7 and would round up to 8.
  const millionths = promptBytes(request) * Math.round(tokensPerByte * MILLION);
  const rest = millionths % MILLION;
  return Math.max(1, (millionths - rest) / MILLION + (rest === 0 ? 0 : 1));
}

/** The UTF-8 bytes of a value as compact JSON with unescaped strings. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value) + '""'.length;
  if (Array.isArray(value)) {
    let bytes = '[]'.length + Math.max(0, value.length - 1);
    for (const element of value) bytes += jsonBytes(element);
    return bytes;
  }
  if (typeof value === 'object' && value !== null) {
    let bytes = 0;
    // Not Object.entries: making an array for each entry takes longer than all the rest.
    for (const key of Object.keys(value)) {
      const field: unknown = Reflect.get(value, key);
      if (field !== undefined) bytes += textBytes(key) + '"":,'.length + jsonBytes(field);
    }
    // The loop has counted a comma after every field. The last field has none, but there are two braces.
    return bytes === 0 ? '{}'.length : bytes + 1;
  }
  return String(value).length;
}

const SHORT_TEXT = 48;

/** A tool's schema is mostly names and short words. For short text a loop is faster than the native call. */
function textBytes(text: string): number {
  if (text.length > SHORT_TEXT) return Buffer.byteLength(text);
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.byteLength(text);
  }
  return text.length;
}
