import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ServiceError } from '@sluice/contracts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChunkTemplate } from './chunk-template.ts';
import { EventStream } from './event-stream.ts';
import { TurnFlusher } from './turn-flusher.ts';

/** A client that takes nothing. */
class DeafSocket extends Socket {
  override _write(): void {
    // Never taken.
  }

  override _writev(): void {
    // Never taken.
  }
}

function openStream({ minorVersion = 1, clock = (): number => 0 } = {}) {
  const socket = new DeafSocket();
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = minorVersion;
  const response = new ServerResponse(request);
  const stream = new EventStream({
    response,
    headers: {},
    template: new ChunkTemplate({ id: 'c', created: 0, model: 'm', padding: undefined }),
    includeUsage: false,
    flusher: new TurnFlusher(),
    clock,
    lateStatusMs: 10_000,
    keepaliveMs: 15_000,
    bufferBytes: 1_000_000,
    onCutOff: () => undefined,
  });
  return { socket, response, stream };
}

test('a failure leaves a client half a minute to take what is held for it, and then cuts it off', () => {
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

test('a comment keeps a stream open only when nothing was written for so long', () => {
  let now = 100_000;
  const { response, stream } = openStream({ minorVersion: 0, clock: () => now });
  /** What a look at the clock adds to what waits to be sent. */
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
