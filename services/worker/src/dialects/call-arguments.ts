import { MAXIMUM_NESTING, exceedsNesting } from '@sluice/contracts';
import {
  endOfString,
  startOfString,
  isJsonObject,
  mayHaveLoneSurrogates,
  parseJson,
  textOf,
} from '../json/json.ts';

/**
 * Finds out quickly whether a text may have a number that is too large for a double: one with an exponent, or with
 * hundreds of digits. The lookbehind keeps the search linear in long runs of digits.
 */
const MAY_HAVE_HUGE_NUMBER = /\d[eE][+\d]|(?<!\d)\d{300}/;
/** Matches each whole number that may be too large for a double. */
const HUGE_NUMBERS = /(?<![\d.])\d+(?:\.\d+)?[eE][+-]?\d+|(?<![\d.])\d{300,}/g;

/**
 * The arguments of an earlier call, as sent to runtimes. Chat templates parse them, and vLLM answers 400 or 500 if they
 * are not an object. Clients send an invalid or truncated call back for the rest of the conversation, so arguments that
 * cannot be parsed are sent as a string inside an object.
 */
export function callArguments(value: unknown): string {
  const text = textOf(value) ?? '';
  if (text.trim() === '') return '{}';
  return isSafeObject(text) ? text : JSON.stringify({ arguments: text });
}

/**
 * Whether the text is an object that runtimes can parse. The gateway has not checked it, because it is only a string in
 * the body. For example, an object with thousands of nested levels overflows the stack of llama.cpp and ends its
 * process.
 */
function isSafeObject(text: string): boolean {
  // Anything but an object is refused without parsing it, because a list may be long.
  if (!text.trimStart().startsWith('{')) return false;
  if (exceedsNesting(Buffer.from(text), MAXIMUM_NESTING)) return false;
  try {
    return isJsonObject(parseJson(text)) && !hasUnsafeValue(text);
  } catch {
    return false;
  }
}

/** Whether the text has a lone surrogate or a number like 1e400. Parsers of runtimes refuse or change both. */
function hasUnsafeValue(text: string): boolean {
  if (!mayHaveLoneSurrogates(text) && !MAY_HAVE_HUGE_NUMBER.test(text)) return false;
  // Searches the text and not the parsed object, which has only the last of several members with the same name.
  let at = 0;
  while (at < text.length) {
    const start = startOfString(text, at);
    if (hasInfiniteNumber(text.slice(at, start))) return true;
    at = endOfString(text, start);
    if (hasLoneSurrogate(text.slice(start, at))) return true;
  }
  return false;
}

function hasLoneSurrogate(literal: string): boolean {
  return mayHaveLoneSurrogates(literal) && !String(parseJson(literal)).isWellFormed();
}

function hasInfiniteNumber(text: string): boolean {
  for (const [literal] of text.matchAll(HUGE_NUMBERS)) {
    if (!Number.isFinite(Number(literal))) return true;
  }
  return false;
}
