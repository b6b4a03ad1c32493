import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openReplyChannel, type Render } from './reply-channel.ts';

/** Keeps what each single write to the system would have been. */
class RecordingSocket extends Socket {
  readonly writes: string[] = [];

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.writes.push(chunk.toString());
    done();
  }

  override _writev(chunks: readonly { chunk: Buffer | string }[], done: () => void): void {
    this.writes.push(chunks.map(({ chunk }) => chunk.toString()).join(''));
    done();
  }
}

function setUp() {
  const socket = new RecordingSocket();
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  return { writes: socket.writes, channel: openReplyChannel(response, { a: 'b' }) };
}

const piece = (text: string): [number, Render] => [
  text.length,
  (target, offset) => offset + target.write(text, offset),
];

test('the last piece leaves with the end: nobody has the one without the other', () => {
  const { writes, channel } = setUp();
  channel.write(...piece('first'));
  channel.end(...piece('last'));
  expect(writes).toHaveLength(2);
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*a: b\r\n.*\r\n\r\n5\r\nfirst\r\n$/s);
  expect(writes[1]).toBe('4\r\nlast\r\n0\r\n\r\n');
});

test('a body of one piece leaves in one write, its headers included', () => {
  const { writes, channel } = setUp();
  channel.end(...piece('all'));
  expect(writes).toHaveLength(1);
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n3\r\nall\r\n0\r\n\r\n$/s);
});
