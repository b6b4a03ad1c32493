import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openReplyChannel, type Render } from './chunked-socket.ts';

/** Records each single write to the operating system. */
class RecordingSocket extends Socket {
  readonly writes: string[] = [];
  readonly #reads: boolean;

  constructor(reads: boolean) {
    super();
    this.#reads = reads;
  }

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.#take(chunk.toString(), done);
  }

  override _writev(chunks: readonly { chunk: Buffer | string }[], done: () => void): void {
    this.#take(chunks.map(({ chunk }) => chunk.toString()).join(''), done);
  }

  #take(text: string, done: () => void): void {
    this.writes.push(text);
    if (this.#reads) done();
  }
}

function setUp({ minorVersion = 1, reads = true } = {}) {
  const socket = new RecordingSocket(reads);
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = minorVersion;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  return { socket, writes: socket.writes, channel: openReplyChannel(response, { a: 'b' }) };
}

const piece = (text: string): [number, Render] => [
  text.length,
  (target, offset) => offset + target.write(text, offset),
];

test('the last piece and the end of the body are sent in one write', () => {
  const { writes, channel } = setUp();
  channel.write(...piece('first'));
  channel.end(...piece('last'));
  expect(writes).toHaveLength(2);
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*a: b\r\n.*\r\n\r\n5\r\nfirst\r\n$/s);
  expect(writes[1]).toBe('4\r\nlast\r\n0\r\n\r\n');
});

test('a body of one piece is sent in one write together with the headers', () => {
  const { writes, channel } = setUp();
  channel.end(...piece('all'));
  expect(writes).toHaveLength(1);
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n3\r\nall\r\n0\r\n\r\n$/s);
});

test.each([0, 1])(
  'bytes that an HTTP/1.%i client has not taken are counted once',
  async (minorVersion: number) => {
    const { socket, channel } = setUp({ minorVersion, reads: false });
    channel.write(...piece('x'.repeat(1_000)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(socket.writes).toHaveLength(1);
    expect(channel.heldBytes).toBe(socket.writes[0]?.length);
  },
);

describe('a cut', () => {
  async function cut(reads: boolean): Promise<Socket> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { socket, channel } = setUp({ reads });
    channel.write(...piece('last words'));
    channel.cut(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    return socket;
  }

  test('gives the client time to read the written bytes', async () => {
    const socket = await cut(true);
    vi.advanceTimersByTime(99);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
  });

  test('does not wait long for a client that reads nothing', async () => {
    const socket = await cut(false);
    vi.advanceTimersByTime(999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
  });
});
