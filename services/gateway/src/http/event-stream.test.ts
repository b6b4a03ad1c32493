import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ChunkTemplate } from './chunk-template.ts';
import { EventStream } from './event-stream.ts';
import { TurnFlusher } from './turn-flusher.ts';

test('a comment keeps a stream open only when nothing was written for so long', () => {
  let now = 100_000;
  const request = new IncomingMessage(new Socket());
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 0;
  const response = new ServerResponse(request);
  const stream = new EventStream({
    response,
    headers: {},
    template: new ChunkTemplate({ id: 'c', created: 0, model: 'm', padding: undefined }),
    includeUsage: false,
    flusher: new TurnFlusher(),
    clock: () => now,
    lateStatusMs: 10_000,
    keepaliveMs: 15_000,
    bufferBytes: 1_000_000,
    onCutOff: () => undefined,
  });
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
