import { randomUUID } from 'node:crypto';
import { endOfString, startOfString } from './json-text.ts';

declare global {
  /** What Node knows and TypeScript does not yet: a number that is written as it was read. */
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** The shortest integer that a number cannot always hold has so many digits. */
const SHORTEST = 16;
const LONG_NUMBER = /\d{16}/;
/** Longer ones fit no runtime's integers, and are rounded: digits without end are no schema. */
const LONG_INTEGERS = /(?<![-+.\deE])-?\d{16,20}(?![.\deE])/g;
/** What such integers are read as in the meantime: no client can guess it. */
const MARK = `${randomUUID()}:`;

/** Whether reading the text again, exactly, would change something in this part of it. */
export function isWorthExactReading(text: string, part: unknown): boolean {
  return LONG_NUMBER.test(text) && holdsLongInteger(part);
}

/**
 * JSON whose integers of up to 20 digits are written again as they were read: what a number would change is raw. They
 * are parsed as strings, since to be told of each value's source takes the parser several times as long.
 */
export function parseWithExactIntegers(text: string): unknown {
  return unmark(JSON.parse(markLongIntegers(text)));
}

function markLongIntegers(text: string): string {
  let marked = '';
  let copied = 0;
  let end: number;
  for (let at = 0; at < text.length; at = endOfString(text, end)) {
    end = startOfString(text, at);
    if (end - at < SHORTEST) continue;
    marked += text.slice(copied, at) + text.slice(at, end).replaceAll(LONG_INTEGERS, markUnsafe);
    copied = end;
  }
  return marked + text.slice(copied);
}

function markUnsafe(literal: string): string {
  return Number.isSafeInteger(Number(literal)) ? literal : `"${MARK}${literal}"`;
}

/** Changes objects themselves, which nobody else knows yet. */
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
