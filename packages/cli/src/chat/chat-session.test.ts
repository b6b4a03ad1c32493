import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { chatSession } from './chat-session.ts';

test('an answer that nobody reads any more is left, and nothing breaks', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const server = createServer((request, reply) => {
    request.resume();
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
    reply.on('close', leave);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const input = new PassThrough();
  input.write('Hello\n');
  const errors = new PassThrough();
  const unanswered = await chatSession({
    apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credential: () => Promise.resolve('pg-x'),
    terminal: {
      input,
      output: new Writable({ write: (_chunk, _encoding, done) => done(new Error('broken pipe')) }),
      errors,
      interactive: false,
      onInterrupt: () => () => undefined,
    },
    model: 'm',
    system: undefined,
    reasoningEffort: undefined,
    tools: undefined,
  });
  expect([unanswered, errors.read()]).toEqual([1, null]);
  await left;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
