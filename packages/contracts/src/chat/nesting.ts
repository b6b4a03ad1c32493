const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** Up to this distance, a loop finds a quote faster than a call of `indexOf`. */
const NEAR = 64;

const NONE: ReadonlySet<string> = new Set();

/**
 * The largest number of nested levels of a body, the body itself included. Recursive code, here or in a runtime, uses
 * stack for each level.
 */
export const MAXIMUM_NESTING = 64;

/**
 * The names of the members of a JSON object whose values nest deeper than `depth`. The object itself is the first
 * level. The bytes are scanned without recursion, so any depth is safe.
 */
export function namesOfExcess(bytes: Uint8Array, depth: number): ReadonlySet<string> {
  const buffer = asBuffer(bytes);
  if (firstTooDeep(buffer, depth) === -1) return NONE;
  const names = new Set<string>();
  let last: Member | undefined;
  const checkLast = (end: number) => {
    if (last === undefined) return;
    const value = buffer.subarray(last.valueAt, end);
    if (firstTooDeep(value, depth - 1) !== -1) names.add(last.name);
  };
  for (const member of membersOf(buffer)) {
    checkLast(member.nameAt);
    last = member;
  }
  checkLast(buffer.length);
  return names;
}

/** Whether JSON text nests deeper than `depth`. Any bytes are accepted, valid JSON or not. */
export function exceedsNesting(bytes: Uint8Array, depth: number): boolean {
  return firstTooDeep(asBuffer(bytes), depth) !== -1;
}

/**
 * The names of the members of a JSON object in the order of its text, duplicates included. A parsed object has each
 * name once, and names that look like integers come first.
 */
export function* memberNames(bytes: Uint8Array): Generator<string> {
  for (const { name } of membersOf(asBuffer(bytes))) yield name;
}

interface Member {
  readonly name: string;
  readonly nameAt: number;
  /** The position after the name. */
  readonly valueAt: number;
}

function* membersOf(buffer: Buffer): Generator<Member> {
  let level = 0;
  let nameIsNext = true;
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === QUOTE) {
      const end = endOfString(buffer, at);
      if (level === 1 && nameIsNext) {
        const name = unescaped(buffer.toString('utf8', at + 1, end));
        yield { name, nameAt: at, valueAt: end + 1 };
      }
      nameIsNext = false;
      at = end;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) level += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) level -= 1;
    else if (byte === COMMA) nameIsNext = true;
  }
}

/**
 * Whether JSON text has more values than `values`. A parser spends its time on the number of values: ten thousand take
 * milliseconds, while a single string of a megabyte takes hardly any time.
 */
export function exceedsValues(bytes: Uint8Array, values: number): boolean {
  return countUpTo(values + 1, asBuffer(bytes)) > values;
}

/** How many values JSON text has. An empty array or object counts as two. Any bytes are accepted, valid JSON or not. */
export function countValues(bytes: Uint8Array): number {
  return countUpTo(Infinity, asBuffer(bytes));
}

/** Counts values up to `limit`, because `exceedsValues` does not need the exact number. */
function countUpTo(limit: number, buffer: Buffer): number {
  let count = 1;
  for (let at = 0; at < buffer.length && count < limit; at += 1) {
    const byte = buffer[at];
    if (byte === QUOTE) at = endOfString(buffer, at);
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) count += 1;
  }
  return count;
}

/** The position of the first bracket that opens a level below `depth`, or -1. */
function firstTooDeep(bytes: Buffer, depth: number): number {
  let level = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      level += 1;
      if (level > depth) return at;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) level -= 1;
  }
  return -1;
}

/** The position of the closing quote of the string that opens at `open`, or the end of the text if there is none. */
function endOfString(bytes: Buffer, open: number): number {
  let at = open + 1;
  while (at < bytes.length) {
    for (const near = Math.min(at + NEAR, bytes.length); at < near; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) break;
    // After an odd number of backslashes, the quote is escaped and does not end the string.
    let escapes = 0;
    while (quote - escapes > at && bytes[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
  return bytes.length;
}

/** The value of a JSON string, from the text between its quotes. */
function unescaped(text: string): string {
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
