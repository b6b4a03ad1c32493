const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** A quote this near is found sooner by a loop than by setting up a native search. */
const NEAR = 64;

const NONE: ReadonlySet<string> = new Set();

/** Levels of a body, itself the first: whatever reads one, here or on a runtime, may call itself level by level. */
export const MAXIMUM_NESTING = 64;

/**
 * The names of the members under which the text of a JSON object nests deeper than allowed, the object
 * being the first level. Looks at the bytes alone: what is so deep must not be walked.
 */
export function namesOfExcess(bytes: Uint8Array, depth: number): ReadonlySet<string> {
  const buffer = asBuffer(bytes);
  if (findExcess(buffer, depth) === -1) return NONE;
  const names = new Set<string>();
  let last: Member | undefined;
  const lookInto = (end: number) => {
    if (last === undefined) return;
    const value = buffer.subarray(last.valueAt, end);
    if (findExcess(value, depth - 1) !== -1) names.add(last.name);
  };
  for (const member of membersOf(buffer)) {
    lookInto(member.nameAt);
    last = member;
  }
  lookInto(buffer.length);
  return names;
}

/** Whether JSON text nests deeper than that. The text need not have been parsed, or be JSON at all. */
export function exceedsNesting(bytes: Uint8Array, depth: number): boolean {
  return findExcess(asBuffer(bytes), depth) !== -1;
}

/**
 * The names of the members of a JSON object as its text has them: in its order, and as often. An
 * object knows each once, those that look like numbers before all others.
 */
export function* memberNames(bytes: Uint8Array): Generator<string> {
  for (const { name } of membersOf(asBuffer(bytes))) yield name;
}

interface Member {
  readonly name: string;
  readonly nameAt: number;
  /** Where its name has ended. */
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
 * Whether JSON text has more values than that, however long the strings among them are: it is values
 * that take a parser's time, ten thousand of them milliseconds, and a string of a megabyte hardly any.
 */
export function exceedsValues(bytes: Uint8Array, values: number): boolean {
  return countUpTo(values + 1, asBuffer(bytes)) > values;
}

/** How many values JSON text has, an empty array or object counting as two. The text need not be JSON at all. */
export function countValues(bytes: Uint8Array): number {
  return countUpTo(Infinity, asBuffer(bytes));
}

/** Stops at the limit: most texts are counted to find out that they have more. */
function countUpTo(limit: number, buffer: Buffer): number {
  let count = 1;
  for (let at = 0; at < buffer.length && count < limit; at += 1) {
    const byte = buffer[at];
    if (byte === QUOTE) at = endOfString(buffer, at);
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) count += 1;
  }
  return count;
}

/** Where the first bracket stands that goes too deep, or -1. */
function findExcess(bytes: Buffer, depth: number): number {
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

/** Where the string that opens at `open` ends: its closing quote, or the end of the text. */
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
    let escapes = 0;
    while (quote - escapes > at && bytes[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
  return bytes.length;
}

/** What a JSON string says, given what stands between its quotes. */
function unescaped(text: string): string {
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
