import { describe, expect, it } from 'vitest';
import { ReplyReader, type ReplyEnd } from './reply-reader.ts';

const WHOLE =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"a":"b:c"}';

function chunked(...events: string[]): string {
  const head =
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunks = events.map((event) => {
    const text = `data: ${event}\n\n`;
    return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  });
  return `${head}${chunks.join('')}0\r\n\r\n`;
}

function read(
  reader: ReplyReader,
  text: string,
  size: number,
): { ends: ReplyEnd[]; events: number; started: boolean } {
  const bytes = Buffer.from(text);
  const ends: ReplyEnd[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const end = reader.read(bytes.subarray(start, start + size));
    if (end !== undefined) ends.push(end);
  }
  return { ends, events: reader.events, started: reader.started };
}

describe('the reader of replies', () => {
  it.each([1, 2, 3, 7, 64, 10_000])('reads a reply in pieces of %i bytes', (size) => {
    const reader = new ReplyReader();
    expect(read(reader, WHOLE, size).ends).toEqual([{ status: 200, complete: true }]);
  });

  it.each([1, 2, 3, 5, 7, 11, 64, 10_000])('counts events in pieces of %i bytes', (size) => {
    const stream = chunked('{"content":""}', '{"content":"one"}', '{"x":"data: "}', '[DONE]');
    const { ends, events } = read(new ReplyReader(), stream, size);
    expect(events).toBe(4);
    expect(ends).toEqual([{ status: 200, complete: true }]);
  });

  it('distinguishes the first piece of an answer from an empty one', () => {
    const [head = '', ...rest] = chunked('{"content":""}', '{"content":"x"}').split(/(?=data)/);
    const reader = new ReplyReader();
    reader.read(Buffer.from(head));
    reader.read(Buffer.from(rest[0] ?? ''));
    expect(reader.started).toBe(false);
    reader.read(Buffer.from(rest[1] ?? ''));
    expect(reader.started).toBe(true);
  });

  it('does not take a stream without [DONE] for a whole one', () => {
    expect(read(new ReplyReader(), chunked('{"content":"one"}'), 9).ends).toEqual([
      { status: 200, complete: false },
    ]);
  });

  it('reads the next reply of the same connection', () => {
    const reader = new ReplyReader();
    expect(read(reader, WHOLE, 5).ends).toHaveLength(1);
    reader.reset();
    expect(read(reader, chunked('{}', '[DONE]'), 5)).toMatchObject({
      ends: [{ status: 200, complete: true }],
      events: 2,
    });
  });

  it('gives the status of a refusal', () => {
    const refusal = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}';
    const { ends, started } = read(new ReplyReader(), refusal, 10_000);
    expect(ends).toEqual([{ status: 503, complete: true }]);
    expect(started).toBe(false);
  });

  it('reports the requests that were running when the connection broke', () => {
    const reader = new ReplyReader();
    expect(reader.breakOff()).toBeUndefined();
    reader.read(Buffer.from(WHOLE.slice(0, -3)));
    expect(reader.breakOff()).toEqual({ status: 200, complete: false });
  });
});
