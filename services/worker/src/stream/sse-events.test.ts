import { describe, expect, it } from 'vitest';
import { MalformedStreamError, ServerSentEventParser, type ServerSentEvent } from './sse-events.ts';

function parse(pieces: readonly Buffer[], { end = true } = {}): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = new ServerSentEventParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  if (end) parser.end();
  return events;
}

const message = (data: string): ServerSentEvent => ({ event: 'message', data });

describe('reading server-sent events', () => {
  const stream =
    ': a comment\r\ndata: {"text":"größer 🧵"}\n\nevent: error\r\ndata: two\r\ndata: lines\r\n\r\n:\n\ndata:[DONE]\r\rid: 7\nretry: 10\n\n';
  const expected = [
    message('{"text":"größer 🧵"}'),
    { event: 'error', data: 'two\nlines' },
    message('[DONE]'),
  ];

  it('gives the same events for every split of the bytes in two reads', () => {
    const bytes = Buffer.from(stream);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
    }
  });

  it('gives the same events for reads of single bytes', () => {
    expect(parse([...Buffer.from(stream)].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  it.each(['\n', '\r\n', '\r'])('gives an event as soon as its lines have ended: %j', (lineEnd) => {
    expect(parse([Buffer.from(`data: 1${lineEnd}${lineEnd}`)], { end: false })).toEqual([
      message('1'),
    ]);
  });

  it('completes an unfinished last event only at the end of the connection', () => {
    const bytes = [Buffer.from('data: [DONE]')];
    expect(parse(bytes, { end: false })).toEqual([]);
    expect(parse(bytes)).toEqual([message('[DONE]')]);
  });

  it('reads the error field of older llama.cpp servers', () => {
    expect(parse([Buffer.from('error: {"code":500}\n\n')])).toEqual([
      { event: 'error', data: '{"code":500}' },
    ]);
  });

  it('ignores a byte order mark, empty events and unknown fields', () => {
    expect(
      parse([Buffer.from('\uFEFFdata: 1\n\n\n\nevent: x\n\nnonsense\n\uFEFFdata: 2\n\n')]),
    ).toEqual([message('1')]);
  });

  it.each(['data:\n\n', 'data: \n\n', 'data\n\n', 'event: ping\ndata:\n\n'])(
    'ignores empty data: %j',
    (nothing) => {
      expect(parse([Buffer.from(`data: 1\n\n${nothing}data: 2\n\n`)])).toEqual([
        message('1'),
        message('2'),
      ]);
    },
  );

  it('removes only one space after the colon', () => {
    expect(parse([Buffer.from('data:  two \n\n')])).toEqual([message(' two ')]);
  });

  it('refuses a line that does not end', () => {
    const parser = new ServerSentEventParser(() => undefined);
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let count = 0; count < 10; count += 1) parser.push(megabyte);
    }).toThrow(MalformedStreamError);
  });

  it('refuses an event that does not end', () => {
    const parser = new ServerSentEventParser(() => undefined);
    const line = Buffer.from(`data: ${'x'.repeat(1024 * 1024)}\n`);
    expect(() => {
      for (let count = 0; count < 10; count += 1) parser.push(line);
    }).toThrow(MalformedStreamError);
  });
});
