import { describe, expect, it, vi } from 'vitest';
import { readChunk } from './read-chunk.ts';
import { MalformedStreamError } from './sse-events.ts';
import { TemplatedChunkReader } from './templated-chunk-reader.ts';

const around = (choice: string) =>
  `{"id":"chatcmpl-1","created":1730000000,"model":"m","choices":[${choice}]}`;
const textChunk = (text: string, field = 'content') =>
  around(`{"index":0,"delta":{"${field}":${JSON.stringify(text)}},"finish_reason":null}`);

/** A reader that has a template from these chunks. */
function readerAfter(...chunks: readonly string[]): TemplatedChunkReader {
  const reader = new TemplatedChunkReader();
  for (const chunk of chunks) reader.read(chunk);
  return reader;
}

function parsingsOf(action: () => void): number {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    action();
    return parse.mock.calls.length;
  } finally {
    parse.mockRestore();
  }
}

describe('a chunk that differs from the previous one only in its text', () => {
  it.each(['content', 'reasoning_content'])('is read without parsing: %s', (field) => {
    const reader = readerAfter(textChunk('Hello', field));
    const chunks = [' there', ' wörld 🧵', ' ', '\u2028'].map((text) => textChunk(text, field));
    const expected = chunks.map(readChunk);
    let read: unknown[] = [];
    expect(parsingsOf(() => (read = chunks.map((chunk) => reader.read(chunk))))).toBe(0);
    expect(read).toEqual(expected);
  });

  it('is parsed if its text has escapes', () => {
    const reader = readerAfter(textChunk('Hello'));
    for (const text of ['\n', '"', '\\', 'a","finish_reason":"stop', '\u0000', '\uD83E']) {
      expect(reader.read(textChunk(text)).content).toBe(text);
    }
  });

  it('does not match the template if its string ends earlier', () => {
    const reader = readerAfter(textChunk('Hello'));
    const sly = textChunk('HOLE').replace('HOLE', 'a"},"finish_reason":"stop","x":{"y":"b');
    expect(reader.read(sly)).toMatchObject({ content: 'a' });
    expect(reader.read(sly)).toEqual(readChunk(sly));
  });

  it('is refused if it is malformed', () => {
    const reader = readerAfter(textChunk('Hello'));
    expect(() => reader.read(textChunk('HOLE').replace('HOLE', 'a\tb'))).toThrow(
      MalformedStreamError,
    );
    expect(() => reader.read(textChunk(' there').slice(0, -1))).toThrow(MalformedStreamError);
  });
});

describe('a chunk with other content', () => {
  const finish = (text: string) =>
    around(`{"index":0,"delta":{"content":"${text}"},"finish_reason":"stop"}`);
  const counted = (text: string) =>
    textChunk(text).replace(/\}$/, ',"usage":{"prompt_tokens":1,"completion_tokens":2}}');
  const failed = (text: string) => textChunk(text).replace(/\}$/, ',"error":{"code":500}}');
  const called = (text: string) =>
    around(
      `{"delta":{"content":"${text}","tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}`,
    );

  const thought = (text: string) =>
    around(`{"delta":{"content":"${text}","reasoning_content":"Hm"}}`);

  it.each([finish, counted, failed, called, thought])(
    'is never read as text alone: %#',
    (chunk) => {
      for (const seen of [textChunk('Hello'), chunk('Hello')]) {
        const reader = readerAfter(seen);
        expect(reader.read(chunk(' there'))).toEqual(readChunk(chunk(' there')));
        expect(reader.read(textChunk(' there'))).toEqual(readChunk(textChunk(' there')));
      }
    },
  );

  it.each(['index', 'm', 'chatcmpl-1', 'content'])(
    'with the word %s elsewhere is not read as that word',
    (word) => {
      const reader = readerAfter(textChunk(word));
      expect(reader.read(textChunk('Hello'))).toEqual(readChunk(textChunk('Hello')));
      const other = textChunk(word).replace(`"${word}"`, '"other"');
      expect(reader.read(other)).toEqual(readChunk(other));
    },
  );

  it.each([',', ':'])(
    'with a text that also separates two strings is read correctly: %s',
    (sign) => {
      const reader = new TemplatedChunkReader();
      expect(reader.read(textChunk(sign))).toEqual(readChunk(textChunk(sign)));
      expect(reader.read(textChunk('Hello'))).toEqual(readChunk(textChunk('Hello')));
    },
  );

  it('with a text that is also the name of a member is read correctly', () => {
    const named = (name: string) =>
      around(`{"delta":{"${name}":"reasoning_content","reasoning":"reasoning_content?"}}`);
    const reader = readerAfter(named('reasoning_content'));
    expect(reader.read(named('x'))).toEqual(readChunk(named('x')));
  });

  it('may have the same text in two members', () => {
    const both = (text: string) =>
      around(`{"delta":{"reasoning_content":"${text}","reasoning":"${text}"}}`);
    const reader = readerAfter(both('Hm'));
    expect(reader.read(both('so'))).toEqual(readChunk(both('so')));
  });
});

it('follows a stream from its reasoning to its content', () => {
  const reader = readerAfter(textChunk('Hm', 'reasoning_content'));
  for (let count = 0; count < 20; count += 1) reader.read(textChunk(`word ${count}`));
  expect(parsingsOf(() => reader.read(textChunk('Hello')))).toBe(0);
});

it('rarely parses a chunk twice if no template matches', () => {
  const reader = new TemplatedChunkReader();
  const chunks = Array.from({ length: 90 }, (_, at) =>
    textChunk('x').replace('1730000000', `${at}`),
  );
  expect(parsingsOf(() => void chunks.map((chunk) => reader.read(chunk)))).toBe(100);
});
