import { randomUUID } from 'node:crypto';
import { endOfString, startOfString } from './json.ts';

declare global {
  /** Not in TypeScript's types yet: https://github.com/tc39/proposal-json-parse-with-source */
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Digits of the shortest integers that may exceed `Number.MAX_SAFE_INTEGER`. */
const MIN_DIGITS = 16;
const LONG_NUMBER = /\d{16}/;
/**
 * Integers of 64 bits have at most 20 digits. Longer integers are parsed like any other number, and rounded. The
 * characters on both sides exclude digits of a longer integer, a fraction or an exponent.
 */
const LONG_INTEGERS = /(?<![-+.\deE])-?\d{16,20}(?![.\deE])/g;
/** Prefix of the strings that replace long integers for the parser. Random, so that a client cannot send it. */
const MARK = `${randomUUID()}:`;

/**
 * Whether `JSON.parse` may have rounded an integer in this value, so that the text has to be parsed exactly. The value is
 * a part of the parsed text.
 */
export function needsExactParsing(text: string, value: unknown): boolean {
  return LONG_NUMBER.test(text) && holdsLongInteger(value);
}

/**
 * Parses JSON so that `JSON.stringify` writes integers of up to 20 digits as they were: unsafe integers become raw
 * JSON. Before parsing, they are replaced by marked strings. A reviver that gets the source of each value would need no
 * marks, but took several times as long in a measurement.
 */
export function parseWithExactIntegers(text: string): unknown {
  return unmark(JSON.parse(markLongIntegers(text)));
}

function markLongIntegers(text: string): string {
  let marked = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    // From `at` to `end`, the text is outside of strings.
    const end = startOfString(text, at);
    if (end - at >= MIN_DIGITS) {
      marked += text.slice(copied, at) + text.slice(at, end).replaceAll(LONG_INTEGERS, markUnsafe);
      copied = end;
    }
    at = endOfString(text, end);
  }
  return marked + text.slice(copied);
}

function markUnsafe(literal: string): string {
  return Number.isSafeInteger(Number(literal)) ? literal : `"${MARK}${literal}"`;
}

/** Turns marked strings into raw JSON. Changes objects in place, because they have just been parsed. */
function unmark(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? JSON.rawJSON(value.slice(MARK.length)) : value;
  }
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, field] of Object.entries(value)) {
    const unmarked = unmark(field);
    if (unmarked !== field) Reflect.set(value, name, unmarked);
  }
  return value;
}

function holdsLongInteger(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsLongInteger);
}
