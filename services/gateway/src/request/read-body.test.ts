import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import { RequestContext } from '../edge/request-context.ts';
import { ByteBudget } from './byte-budget.ts';
import { BodyBuffer, readBody } from './read-body.ts';

test.each([
  ['is too long', {}, [5_000]],
  ['has too many chunks', { 'transfer-encoding': 'chunked' }, Array<number>(5_000).fill(1)],
])('a body that %s is no longer read as soon as it is refused', async (_, headers, pieces) => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  const context = new RequestContext({
    request,
    response: new ServerResponse(request),
    operation: 'completions',
  });
  const arriving = new ByteBudget({ maxBytes: 10_000, maxBytesPerOrganization: 10_000 });
  const body = readBody(context, 'org-1', { limitBytes: 4_999, arriving, timeoutMs: 1_000 });
  for (const bytes of pieces) request.emit('data', Buffer.alloc(bytes));
  expect(request.listenerCount('data')).toBe(0);
  await expect(body).rejects.toThrow('The request body');
});

function piecesOf(body: Buffer, size: number): BodyBuffer {
  const pieces = new BodyBuffer();
  for (let at = 0; at < body.length; at += size) pieces.add(body.subarray(at, at + size));
  return pieces;
}

const body = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));

describe('a body buffer', () => {
  it.each([1, 7, 255, 256, 257, 390, 391, 65_536, 100_000])('joins pieces of %i bytes', (size) => {
    expect(piecesOf(body, size).joined().equals(body)).toBe(true);
  });

  it('does not keep many small pieces apart', () => {
    expect(piecesOf(body, 1).count).toBeLessThan(1_000);
  });

  it('does not copy a single piece', () => {
    expect(piecesOf(body, body.length).joined().buffer).toBe(body.buffer);
  });

  it('may be empty', () => {
    expect(new BodyBuffer().joined()).toHaveLength(0);
  });
});
