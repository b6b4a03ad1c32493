import { readChunk, type RuntimeChunk } from './read-chunk.ts';

type TextField = 'content' | 'reasoning';

/** The JSON before and after the text, in chunks that have nothing but a text. */
interface Template {
  readonly field: TextField;
  readonly before: string;
  readonly after: string;
}

/** Characters that end a JSON string or need an escape. */
const NOT_PLAIN = /["\\\p{Cc}]/u;
/** Finding a template parses the chunk once more, so it is not tried for every chunk. */
const CHUNKS_BETWEEN_TRIALS = 8;
/**
 * In V8, a slice of at least this length references the whole string: `SlicedString::kMinLength` in
 * https://github.com/v8/v8/blob/main/src/objects/string.h
 */
const MIN_SLICED_LENGTH = 13;
/** Matches what follows a string that is the name of a member. */
const BEFORE_A_VALUE = /^"\s*:/;

/**
 * Reads the chunks of one stream. Most chunks differ only in their text. If a chunk matches the template, its text is
 * cut out. A chunk that does not match, or whose text has escapes, is parsed.
 */
export class TemplatedChunkReader {
  #template: Template | undefined;
  #untilNextTrial = 0;

  read(data: string): RuntimeChunk {
    const template = this.#template;
    const text = template === undefined ? undefined : plainTextIn(template, data);
    if (template !== undefined && text !== undefined) return textChunk(template.field, text);
    const chunk = readChunk(data);
    if (this.#untilNextTrial > 0) this.#untilNextTrial -= 1;
    else this.#tryTemplateOf(data, chunk);
    return chunk;
  }

  #tryTemplateOf(data: string, chunk: RuntimeChunk): void {
    const field = chunk.content === '' ? 'reasoning' : 'content';
    const text = chunk[field];
    if (text === '' || NOT_PLAIN.test(text)) return;
    this.#untilNextTrial = CHUNKS_BETWEEN_TRIALS;
    this.#template = findTemplate(data, field, text) ?? this.#template;
  }
}

/**
 * Compares slices instead of using `startsWith`, which compares one character at a time in V8:
 * https://github.com/v8/v8/blob/main/src/builtins/string-startswith.tq
 */
function plainTextIn({ before, after }: Template, data: string): string | undefined {
  const end = data.length - after.length;
  if (end <= before.length || data.slice(0, before.length) !== before) return undefined;
  if (data.slice(end) !== after) return undefined;
  const text = data.slice(before.length, end);
  return NOT_PLAIN.test(text) ? undefined : ownText(text);
}

/** A copy, because a slice would keep the whole string in memory. */
function ownText(text: string): string {
  return text.length < MIN_SLICED_LENGTH ? text : Buffer.from(text).toString();
}

/**
 * Finds where the text is in the chunk. The same text may occur elsewhere in the chunk, so the position is verified:
 * with a different text there, parsing the chunk must give that text.
 */
function findTemplate(data: string, field: TextField, text: string): Template | undefined {
  const at = data.indexOf(`"${text}"`);
  if (at === -1) return undefined;
  const before = data.slice(0, at + 1);
  const after = data.slice(at + 1 + text.length);
  // The text was found as the name of a member. With another name, the chunk could give another text, which may happen to
  // pass the test below: `readChunk` reads `reasoning` if there is no `reasoning_content`.
  if (BEFORE_A_VALUE.test(after)) return undefined;
  const other = `${text}?`;
  if (!hasOnlyText(before + other + after, field, other)) return undefined;
  return { field, before: ownText(before), after: ownText(after) };
}

function hasOnlyText(data: string, field: TextField, text: string): boolean {
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
    // The position was not inside a string. For example, the text `,` is also found between the strings of `"a","b"`.
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
