import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { HeldBytes } from '../domain/held-bytes.ts';
import { principalOf } from '../domain/principal-fixture.ts';
import { Exchange } from './exchange.ts';
import { readBody } from './read-body.ts';

test.each([
  ['is too long', {}, [5_000]],
  ['comes in too many chunks', { 'transfer-encoding': 'chunked' }, Array<number>(5_000).fill(1)],
])('a body that %s is listened to no more as soon as it is refused', async (_, headers, pieces) => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  const exchange = new Exchange({
    request,
    response: new ServerResponse(request),
    operation: 'completions',
  });
  exchange.principal = principalOf();
  const arriving = new HeldBytes({ mostBytes: 10_000, mostBytesOfOne: 10_000 });
  const body = readBody(exchange, { limitBytes: 4_999, arriving, timeoutMs: 1_000 });
  for (const bytes of pieces) request.emit('data', Buffer.alloc(bytes));
  expect(request.listenerCount('data')).toBe(0);
  await expect(body).rejects.toThrow('The request body');
});
