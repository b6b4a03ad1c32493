import { describe, expect, it, vi } from 'vitest';
import { MouldedChunkReader } from './moulded-chunk-reader.ts';
import { readChunk } from './read-chunk.ts';
import { MalformedStreamError } from './sse-parser.ts';

const around = (choice: string) =>
  `{"id":"chatcmpl-1","created":1730000000,"model":"m","choices":[${choice}]}`;
const said = (text: string, field = 'content') =>
  around(`{"index":0,"delta":{"${field}":${JSON.stringify(text)}},"finish_reason":null}`);

/** A reader that has seen enough of such chunks to know one of the same kind. */
function readerUsedTo(...chunks: readonly string[]): MouldedChunkReader {
  const reader = new MouldedChunkReader();
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

describe('a chunk like the one before it but for its text', () => {
  it.each(['content', 'reasoning_content'])('is read without being parsed: %s', (field) => {
    const reader = readerUsedTo(said('Hello', field));
    const chunks = [' there', ' wörld 🧵', ' ', '\u2028'].map((text) => said(text, field));
    const expected = chunks.map(readChunk);
    let read: unknown[] = [];
    expect(parsingsOf(() => (read = chunks.map((chunk) => reader.read(chunk))))).toBe(0);
    expect(read).toEqual(expected);
  });

  it('is parsed where its text is escaped', () => {
    const reader = readerUsedTo(said('Hello'));
    for (const text of ['\n', '"', '\\', 'a","finish_reason":"stop', '\u0000', '\uD83E']) {
      expect(reader.read(said(text)).content).toBe(text);
    }
  });

  it('is no such chunk when its string ends earlier', () => {
    const reader = readerUsedTo(said('Hello'));
    const sly = said('HOLE').replace('HOLE', 'a"},"finish_reason":"stop","x":{"y":"b');
    expect(reader.read(sly)).toMatchObject({ content: 'a' });
    expect(reader.read(sly)).toEqual(readChunk(sly));
  });

  it('is as malformed as it was', () => {
    const reader = readerUsedTo(said('Hello'));
    expect(() => reader.read(said('HOLE').replace('HOLE', 'a\tb'))).toThrow(MalformedStreamError);
    expect(() => reader.read(said(' there').slice(0, -1))).toThrow(MalformedStreamError);
  });
});

describe('a chunk that says something else', () => {
  const finish = (text: string) =>
    around(`{"index":0,"delta":{"content":"${text}"},"finish_reason":"stop"}`);
  const counted = (text: string) =>
    said(text).replace(/\}$/, ',"usage":{"prompt_tokens":1,"completion_tokens":2}}');
  const failed = (text: string) => said(text).replace(/\}$/, ',"error":{"code":500}}');
  const called = (text: string) =>
    around(
      `{"delta":{"content":"${text}","tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}`,
    );

  const thought = (text: string) =>
    around(`{"delta":{"content":"${text}","reasoning_content":"Hm"}}`);

  it.each([finish, counted, failed, called, thought])(
    'is never taken for text alone: %#',
    (chunk) => {
      for (const seen of [said('Hello'), chunk('Hello')]) {
        const reader = readerUsedTo(seen);
        expect(reader.read(chunk(' there'))).toEqual(readChunk(chunk(' there')));
        expect(reader.read(said(' there'))).toEqual(readChunk(said(' there')));
      }
    },
  );

  it.each(['index', 'm', 'chatcmpl-1', 'content'])(
    'elsewhere in the same word, %s, is not mistaken for its text',
    (word) => {
      const reader = readerUsedTo(said(word));
      expect(reader.read(said('Hello'))).toEqual(readChunk(said('Hello')));
      const other = said(word).replace(`"${word}"`, '"other"');
      expect(reader.read(other)).toEqual(readChunk(other));
    },
  );

  it.each([',', ':'])('between two strings, %s, is not mistaken for its text', (sign) => {
    const reader = new MouldedChunkReader();
    expect(reader.read(said(sign))).toEqual(readChunk(said(sign)));
    expect(reader.read(said('Hello'))).toEqual(readChunk(said('Hello')));
  });

  it('under the name that is its text is not mistaken for it', () => {
    const named = (name: string) =>
      around(`{"delta":{"${name}":"reasoning_content","reasoning":"reasoning_content?"}}`);
    const reader = readerUsedTo(named('reasoning_content'));
    expect(reader.read(named('x'))).toEqual(readChunk(named('x')));
  });

  it('may be the same text under two names', () => {
    const both = (text: string) =>
      around(`{"delta":{"reasoning_content":"${text}","reasoning":"${text}"}}`);
    const reader = readerUsedTo(both('Hm'));
    expect(reader.read(both('so'))).toEqual(readChunk(both('so')));
  });
});

it('follows a stream from its reasoning to its content', () => {
  const reader = readerUsedTo(said('Hm', 'reasoning_content'));
  for (let count = 0; count < 20; count += 1) reader.read(said(`word ${count}`));
  expect(parsingsOf(() => reader.read(said('Hello')))).toBe(0);
});

it('hardly reads twice what never repeats', () => {
  const reader = new MouldedChunkReader();
  const chunks = Array.from({ length: 90 }, (_, at) => said('x').replace('1730000000', `${at}`));
  expect(parsingsOf(() => void chunks.map((chunk) => reader.read(chunk)))).toBe(100);
});
