import { MAXIMUM_NESTING, exceedsNesting } from '@sluice/contracts';
import { endOfString, startOfString } from '../json/json-text.ts';
import { isJsonObject, mayHoldHalfCharacters, parseJson, textOf } from '../json/json.ts';

/** Without an exponent, or as many digits, a number is finite. Begun in the middle of one, the search would cost its square. */
const MAY_BE_INFINITE = /\d[eE][+\d]|(?<!\d)\d{300}/;
const PERHAPS_INFINITE = /(?<![\d.])\d+(?:\.\d+)?[eE][+-]?\d+|(?<![\d.])\d{300,}/g;

/**
 * The arguments of an earlier call, as runtimes get them. Chat templates take them apart, and vLLM answers 400 or 500
 * to those that are no object. A call that was cut off, or that the model got wrong, comes back from clients for as
 * long as the conversation lasts: what cannot be taken apart is handed on whole, inside an object.
 */
export function callArguments(value: unknown): string {
  const text = textOf(value) ?? '';
  if (text.trim() === '') return '{}';
  return canBeTakenApart(text) ? text : JSON.stringify({ arguments: text });
}

/**
 * Nobody has looked into this text before: what a body may not hold, a runtime must not find here. Some thousand
 * levels end a process of llama.cpp, which calls itself for each.
 */
function canBeTakenApart(text: string): boolean {
  // A list is not parsed to find out that it is none: it may be a long one.
  if (!text.trimStart().startsWith('{')) return false;
  if (exceedsNesting(Buffer.from(text), MAXIMUM_NESTING)) return false;
  try {
    return isJsonObject(parseJson(text)) && !holdsUnreadable(text);
  } catch {
    return false;
  }
}

/** Half a character, or a number like 1e400: parsers of runtimes refuse either, or make something else of it. */
function holdsUnreadable(text: string): boolean {
  if (!mayHoldHalfCharacters(text) && !MAY_BE_INFINITE.test(text)) return false;
  // In the text, since of two members of one name a value keeps the second alone.
  let at = 0;
  while (at < text.length) {
    const start = startOfString(text, at);
    if (holdsInfinite(text.slice(at, start))) return true;
    at = endOfString(text, start);
    if (holdsHalfCharacter(text.slice(start, at))) return true;
  }
  return false;
}

function holdsHalfCharacter(literal: string): boolean {
  return mayHoldHalfCharacters(literal) && !String(parseJson(literal)).isWellFormed();
}

function holdsInfinite(text: string): boolean {
  for (const [literal] of text.matchAll(PERHAPS_INFINITE)) {
    if (!Number.isFinite(Number(literal))) return true;
  }
  return false;
}
