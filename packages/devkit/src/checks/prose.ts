/** A piece of text for readers: a comment, a paragraph, a table cell or the title of a test. */
export interface Prose {
  readonly kind: 'comment' | 'title' | 'document';
  /** The text in one line. Each character of code, links and quotations is replaced by a backtick. */
  readonly text: string;
  readonly firstLine: number;
  /** Converts an offset in the text to a line number of the file, counted from 1. */
  readonly lineAt: (offset: number) => number;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

const commentLines: Readonly<Record<string, RegExp>> = {
  ts: /^\s*(?:\/\/+|\/\*\*?|\*(?!\/))(.*?)(?:\*\/)?$/,
  lua: /^\s*--(.*)$/,
  sh: /^\s*#(?!!)(.*)$/,
};
const toolDirective = /^\s*(?:(?:ox|es)lint-|@ts-|shellcheck |plain-language-ignore\b)/;
// Matches the title of a test or suite: the first argument of `test`, `describe` and so on, or of the function that
// `test.each(…)` returns. The second argument must be a function or an object with options.
const testTitle =
  /^[ \t]*(?:(?:test|it|describe|suite)\b|[\])]).*?\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,\s*(?:async\b|\(|\{|\w+ =>)/gm;

/** Finds the text for readers in a source file, a test or a document. Files of other kinds have none. */
export function readProse(path: string, content: string): Prose[] {
  const extension = path.slice(path.lastIndexOf('.') + 1);
  if (extension === 'md') return readDocument(content);
  const commentLine = commentLines[extension];
  if (commentLine === undefined) return [];
  const comments = readComments(content, commentLine);
  return path.endsWith('.test.ts') ? [...comments, ...readTitles(content)] : comments;
}

function readComments(content: string, commentLine: RegExp): Prose[] {
  const comments: Prose[] = [];
  let paragraph: Line[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) comments.push(proseOf('comment', paragraph));
    paragraph = [];
  };
  let isInBlock = false;
  for (const [index, line] of content.split('\n').entries()) {
    if (/^\s*\/\*/.test(line)) isInBlock = true;
    // Outside of a comment, a line that begins with `*` is code, such as the second line of a multiplication.
    const isCode = !isInBlock && /^\s*\*/.test(line);
    const text = isCode ? undefined : commentLine.exec(line)?.[1];
    if (/\*\/\s*$/.test(line)) isInBlock = false;
    const isProse = text !== undefined && text.trim() !== '' && !toolDirective.test(text);
    // An item of a list and a tag such as `@param` begin a new paragraph.
    if (!isProse || /^\s*(?:[-*] |@)/.test(text)) endParagraph();
    if (isProse) paragraph.push({ number: index + 1, text });
    if (!isInBlock && /\*\/\s*$/.test(line)) endParagraph();
  }
  endParagraph();
  return comments;
}

function readTitles(content: string): Prose[] {
  return [...content.matchAll(testTitle)].map((match) => {
    const title = match[2] ?? '';
    const before = content.slice(0, match.index + match[0].lastIndexOf(title));
    return proseOf('title', [{ number: before.split('\n').length, text: title }]);
  });
}

function readDocument(content: string): Prose[] {
  const pieces: Prose[] = [];
  let paragraph: Line[] = [];
  let isCode = false;
  const endParagraph = (): void => {
    if (paragraph.length > 0) pieces.push(proseOf('document', paragraph));
    paragraph = [];
  };
  for (const [index, text] of content.split('\n').entries()) {
    const number = index + 1;
    const isFence = /^\s*(?:```|~~~)/.test(text);
    if (isFence) isCode = !isCode;
    const isTableRow = /^\s*\|/.test(text);
    if (isFence || isTableRow || /^\s*(?:$|#|[-*+] |\d+\. |<!--)/.test(text)) endParagraph();
    if (isCode || isFence || /^\s*<!--/.test(text)) continue;
    if (isTableRow) {
      for (const cell of text.split(/(?<!\\)\|/)) {
        pieces.push(proseOf('document', [{ number, text: cell }]));
      }
    } else if (text.trim() !== '') paragraph.push({ number, text });
    if (/^\s*#/.test(text)) endParagraph();
  }
  endParagraph();
  return pieces;
}

function proseOf(kind: Prose['kind'], lines: readonly Line[]): Prose {
  const trimmed = lines.map(({ text }) => text.trim());
  const starts: number[] = [];
  let length = 0;
  for (const line of trimmed) {
    starts.push(length);
    length += line.length + 1;
  }
  return {
    kind,
    firstLine: lines[0]?.number ?? 0,
    text: blankOut(trimmed.join(' ')),
    lineAt: (offset) => lines[starts.findLastIndex((start) => start <= offset)]?.number ?? 0,
  };
}

// The replacement has the same length, so that offsets stay correct.
const notProse = /`[^`]*`|"[^"]*"|\{@link [^}]*\}|\]\([^)]*\)|https?:\S+/g;
const blankOut = (text: string): string =>
  text.replaceAll(notProse, (match) => '`'.repeat(match.length));
