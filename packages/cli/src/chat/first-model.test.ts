import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CommandFailure } from '../command.ts';
import { firstModel } from './first-model.ts';

async function serve(status: number, body: string): Promise<string> {
  const server = createServer((request, reply) => {
    request.resume();
    reply.writeHead(status, { connection: 'close' }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['other JSON', '{"models":[]}'],
  ['no JSON', '<html></html>'],
])('an address that answers with %s is reported as not being Sluice', async (_what, body) => {
  const apiRoot = await serve(200, body);
  await expect(firstModel(apiRoot, 'pg-x')).rejects.toThrow(
    new CommandFailure(`the server at ${apiRoot} does not list models as Sluice does`),
  );
});

test('the error message of a server that refuses is shown', async () => {
  const apiRoot = await serve(404, 'nothing here');
  await expect(firstModel(apiRoot, 'pg-x')).rejects.toThrow(
    new CommandFailure('the service answered with status 404'),
  );
});

test('a server without usable models is reported', async () => {
  const apiRoot = await serve(200, '{"object":"list","data":[]}');
  await expect(firstModel(apiRoot, 'pg-x')).rejects.toThrow(
    new CommandFailure('there is no model that may be used'),
  );
});
