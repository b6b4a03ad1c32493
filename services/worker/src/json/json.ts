export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

export function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** In text that was decoded as UTF-8, only an escape can produce a lone surrogate. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

export function mayHaveLoneSurrogates(text: string): boolean {
  return SURROGATE_ESCAPE.test(text);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Reads a count that a runtime reports. Undefined if it is negative or not an integer. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function objectOf(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const QUOTE = '"';
const BACKSLASH = '\\';

/** The position of the next opening quote in JSON text, or the end of the text. `from` must be outside of strings. */
export function startOfString(text: string, from: number): number {
  const quote = text.indexOf(QUOTE, from);
  return quote === -1 ? text.length : quote;
}

/** The position after the closing quote of the string that opens at `open`, or the end of the text. */
export function endOfString(text: string, open: number): number {
  let quote = text.indexOf(QUOTE, open + 1);
  while (quote !== -1) {
    let escapes = 0;
    while (text[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    quote = text.indexOf(QUOTE, quote + 1);
  }
  return text.length;
}
