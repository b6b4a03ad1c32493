import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { CommandFailure, type Terminal } from '../command.ts';
import { chatSession } from './chat-session.ts';

const EVENT = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function chat(
  apiRoot: string,
  terminal: Pick<Terminal, 'input' | 'output' | 'errors'>,
  credential: () => Promise<string> = () => Promise.resolve('pg-x'),
): Promise<number> {
  return chatSession({
    apiRoot,
    credential,
    terminal: { ...terminal, interactive: false, onInterrupt: () => () => undefined },
    model: 'm',
    system: undefined,
    reasoningEffort: undefined,
    tools: undefined,
  });
}

test('an answer that nobody reads any more is left, and nothing breaks', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  await using server = await serve((request, reply) => {
    request.resume();
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.write(EVENT);
    reply.on('close', leave);
  });
  const input = new PassThrough();
  input.write('Hello\n');
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(new Error('broken pipe')),
  });
  const errors = new PassThrough();
  const unanswered = await chat(server.apiRoot, { input, output, errors });
  expect([unanswered, errors.read()]).toEqual([1, null]);
  await left;
});

test('a credential that cannot be renewed costs that turn, and the conversation goes on', async () => {
  const asked: string[] = [];
  await using server = await serve((request, reply) => {
    void text(request).then((body) => {
      asked.push(body);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(`${EVENT}data: [DONE]\n\n`);
    });
  });
  let turn = 0;
  const input = Readable.from(['one\ntwo\nthree\n']);
  const errors = new PassThrough().setEncoding('utf8');
  const unanswered = await chat(
    server.apiRoot,
    { input, output: new PassThrough(), errors },
    async () => {
      turn += 1;
      if (turn === 2) throw new CommandFailure('the catalog does not answer');
      return Promise.resolve('pg-x');
    },
  );
  expect(unanswered).toBe(1);
  expect(errors.read()).toContain('the catalog does not answer\n');
  const messages = z
    .object({ messages: z.array(z.object({ content: z.string() })) })
    .parse(JSON.parse(asked[1] ?? ''))
    .messages.map(({ content }) => content);
  expect(messages).toEqual(['one', 'Hi', 'three']);
});
