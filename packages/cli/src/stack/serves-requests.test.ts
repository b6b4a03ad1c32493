import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { servesRequests } from './serves-requests.ts';

async function gatewayThatSays(status: number | 'nothing'): Promise<string> {
  const server = createServer((request, reply) => {
    request.resume();
    if (status === 'nothing') request.socket.destroy();
    else reply.writeHead(status, { connection: 'close' }).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each<[(number | 'nothing')[], boolean]>([
  [[200, 200], true],
  [[200, 503], false],
  [['nothing', 200], false],
  [[401, 429], true],
])('gateways that answer with %j serve requests: %j', async (statuses, serves) => {
  const apiRoots = await Promise.all(statuses.map(gatewayThatSays));
  expect(await servesRequests({ apiRoots, apiKey: 'sk-x', model: 'm' })).toBe(serves);
});
