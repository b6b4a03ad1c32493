import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ServiceError } from '@sluice/contracts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RequestContext } from '../edge/request-context.ts';
import { EventStream } from './event-stream.ts';
import { FlushBatcher } from './flush-batcher.ts';
import { ChunkTemplate } from './sse-chunks.ts';

/** The response of a client that reads nothing. */
class UnreadSocket extends Socket {
  override _write(): void {
    // The callback is never called, because the client reads nothing.
  }

  override _writev(): void {
    // The callback is never called, because the client reads nothing.
  }
}

function openStream({ minorVersion = 1, clock = (): number => 0 } = {}) {
  const socket = new UnreadSocket();
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = minorVersion;
  const response = new ServerResponse(request);
  const stream = new EventStream({
    context: new RequestContext({ request, response, operation: 'completions' }),
    template: new ChunkTemplate({ id: 'c', created: 0, model: 'm', padding: undefined }),
    includeUsage: false,
    batcher: new FlushBatcher(),
    clock,
    lateStatusMs: 10_000,
    keepaliveMs: 15_000,
    bufferBytes: 1_000_000,
  });
  return { socket, response, stream };
}

test('after a failure the client has 30 seconds to read the buffered bytes before the connection breaks', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { socket, response, stream } = openStream();
  response.assignSocket(socket);
  stream.delta(Buffer.from('{"content":"a"}'));
  stream.flush();
  stream.fail(new ServiceError('upstream_unavailable', 'It broke.'));
  vi.advanceTimersByTime(29_999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

test('a keepalive comment is sent only when nothing was written for the interval', () => {
  let now = 100_000;
  const { response, stream } = openStream({ minorVersion: 0, clock: () => now });
  /** The bytes that a check of the time adds to the unsent bytes. */
  const written = () => {
    const before = response.writableLength;
    stream.checkTime(now);
    return response.writableLength - before;
  };
  expect(written()).toBe(0);
  stream.delta(Buffer.from('{"content":"a"}'));
  stream.flush();
  now += 14_999;
  expect(written()).toBe(0);
  now += 1;
  expect(written()).toBe(': keepalive\n\n'.length);
  expect(written()).toBe(0);
  stream.dispose();
});
