import { readChunk, type RuntimeChunk } from './read-chunk.ts';

type TextField = 'content' | 'reasoning';

/** A chunk that says nothing but a text, as what stands before the text and what stands behind it. */
interface Mould {
  readonly field: TextField;
  readonly before: string;
  readonly after: string;
}

/** What JSON writes otherwise in a string, and what ends one. */
const NOT_PLAIN = /["\\\p{Cc}]/u;
/** To try a mould takes one reading more: where chunks never repeat, one in so many pays for it. */
const CHUNKS_BETWEEN_TRIALS = 8;
/** V8 lets a slice of so many characters point into what it was cut from. */
const SLICED_FROM = 13;
/** Where a string is the name of a member. */
const BEFORE_A_VALUE = /^"\s*:/;

/**
 * Reads the chunks of one stream, which are alike but for their text: one in the mould of another is cut out of it
 * instead of being parsed. Whatever does not fit, or is not plain text, is parsed.
 */
export class MouldedChunkReader {
  #mould: Mould | undefined;
  #untilNextTrial = 0;

  read(data: string): RuntimeChunk {
    const mould = this.#mould;
    const text = mould === undefined ? undefined : plainTextIn(mould, data);
    if (mould !== undefined && text !== undefined) return textChunk(mould.field, text);
    const chunk = readChunk(data);
    if (this.#untilNextTrial > 0) this.#untilNextTrial -= 1;
    else this.#tryMouldOf(data, chunk);
    return chunk;
  }

  #tryMouldOf(data: string, chunk: RuntimeChunk): void {
    const field = chunk.content === '' ? 'reasoning' : 'content';
    const text = chunk[field];
    if (text === '' || NOT_PLAIN.test(text)) return;
    this.#untilNextTrial = CHUNKS_BETWEEN_TRIALS;
    this.#mould = findMould(data, field, text) ?? this.#mould;
  }
}

/** Slices are compared, since `startsWith` goes character by character. */
function plainTextIn({ before, after }: Mould, data: string): string | undefined {
  const end = data.length - after.length;
  if (end <= before.length || data.slice(0, before.length) !== before) return undefined;
  if (data.slice(end) !== after) return undefined;
  const text = data.slice(before.length, end);
  return NOT_PLAIN.test(text) ? undefined : ownText(text);
}

/** A copy: a slice would keep everything alive that came in one read with it. */
function ownText(text: string): string {
  return text.length < SLICED_FROM ? text : Buffer.from(text).toString();
}

/** The same signs may stand elsewhere in the chunk too: with others in their place, it has to say just those. */
function findMould(data: string, field: TextField, text: string): Mould | undefined {
  const at = data.indexOf(`"${text}"`);
  if (at === -1) return undefined;
  const before = data.slice(0, at + 1);
  const after = data.slice(at + 1 + text.length);
  // Another name could uncover a member that has the other signs for its text.
  if (BEFORE_A_VALUE.test(after)) return undefined;
  const other = `${text}?`;
  if (!saysOnly(before + other + after, field, other)) return undefined;
  return { field, before: ownText(before), after: ownText(after) };
}

function saysOnly(data: string, field: TextField, text: string): boolean {
  try {
    const { reasoning, content, calls, finishReason, usage, error } = readChunk(data);
    return (
      (field === 'content' ? content : reasoning) === text &&
      (field === 'content' ? reasoning : content) === '' &&
      calls.length === 0 &&
      finishReason === undefined &&
      usage === undefined &&
      error === undefined
    );
  } catch {
    // A comma between two strings was taken for a text.
    return false;
  }
}

function textChunk(field: TextField, text: string): RuntimeChunk {
  return {
    reasoning: field === 'reasoning' ? text : '',
    content: field === 'content' ? text : '',
    calls: [],
    finishReason: undefined,
    usage: undefined,
    error: undefined,
  };
}
