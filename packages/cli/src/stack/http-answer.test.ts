import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { answersOk, httpAnswer } from './http-answer.ts';

async function serve(status: number): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end('said'));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
}

test.each([
  [200, true],
  [503, false],
])(
  'the status and body of an answer with status %i are returned, and answersOk is %s',
  async (status, isOk) => {
    const url = await serve(status);
    expect(await httpAnswer(url)).toEqual({ status, body: 'said' });
    expect(await answersOk(url)).toBe(isOk);
  },
);

test('an address without a server gives no answer', async () => {
  expect(await httpAnswer('http://127.0.0.1:9/readyz')).toBeUndefined();
  expect(await answersOk('http://127.0.0.1:9/readyz')).toBe(false);
});
