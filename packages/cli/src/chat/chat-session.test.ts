import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { CommandFailure } from '../command.ts';
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

test('a credential that cannot be renewed costs that turn, and the conversation goes on', async () => {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      asked.push(body);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let turn = 0;
  const errors = new PassThrough().setEncoding('utf8');
  const unanswered = await chatSession({
    apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credential: async () => {
      turn += 1;
      if (turn === 2) throw new CommandFailure('the catalog does not answer');
      return Promise.resolve('pg-x');
    },
    terminal: {
      input: Readable.from(['one\ntwo\nthree\n']),
      output: new PassThrough(),
      errors,
      interactive: false,
      onInterrupt: () => () => undefined,
    },
    model: 'm',
    system: undefined,
    reasoningEffort: undefined,
    tools: undefined,
  });
  expect(unanswered).toBe(1);
  expect(errors.read()).toContain('the catalog does not answer\n');
  const messages = z
    .object({ messages: z.array(z.object({ content: z.string() })) })
    .parse(JSON.parse(asked[1] ?? ''))
    .messages.map(({ content }) => content);
  expect(messages).toEqual(['one', 'Hi', 'three']);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
