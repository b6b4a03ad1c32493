import { describe, expect, it } from 'vitest';
import { WireReader, tagOf } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

const INNER = tagOf(1, 'lengthDelimited');
const TEXT = tagOf(2, 'lengthDelimited');
const NUMBER = tagOf(3, 'fixed64');
/** The initial size of a writer's buffer. */
const MEMORY_BYTES = 16 * 1_024;

function written(writer: WireWriter, text: string, number: number): Buffer {
  writer.start();
  const start = writer.begin(INNER);
  writer.string(TEXT, text);
  writer.double(NUMBER, number);
  writer.end(start);
  return writer.finish();
}

function read(bytes: Buffer): { end: number; text: string; number: number } {
  const reader = new WireReader(bytes);
  reader.tag();
  const end = reader.enter();
  reader.tag();
  const text = reader.string();
  reader.tag();
  return { end, text, number: reader.double() };
}

describe('a message', () => {
  it('is complete, however close it is to the end of its buffer', () => {
    for (let length = MEMORY_BYTES - 32; length <= MEMORY_BYTES; length += 1) {
      const text = 'ä'.padEnd(length, 'x');
      const bytes = written(new WireWriter(), text, 0.5);
      expect(read(bytes)).toEqual({ end: bytes.length, text, number: 0.5 });
    }
  });

  it('is not touched by those that are written after it', () => {
    const writer = new WireWriter();
    const first = written(writer, 'first', 1);
    written(writer, 'other', 2);
    expect(read(first)).toMatchObject({ text: 'first', number: 1 });
  });
});
