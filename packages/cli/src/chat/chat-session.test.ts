import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { CommandFailure, type Terminal } from '../command.ts';
import { chatSession, type ChatSessionOptions } from './chat-session.ts';

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
  changes: Partial<ChatSessionOptions> = {},
): Promise<number> {
  return chatSession({
    apiRoot,
    credential: () => Promise.resolve('pg-x'),
    terminal: { ...terminal, interactive: false, onInterrupt: () => () => undefined },
    model: 'm',
    ...changes,
  });
}

test('an answer is abandoned without an error when the output is closed', async () => {
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

test('if a credential cannot be renewed, only that turn fails', async () => {
  const asked: string[] = [];
  await using server = await serve((request, reply) => {
    void text(request).then((body) => {
      asked.push(body);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(`${EVENT}data: [DONE]\n\n`);
    });
  });
  let turn = 0;
  // Blank lines are not turns.
  const input = Readable.from(['one\n\ntwo\n  \nthree\n']);
  const errors = new PassThrough().setEncoding('utf8');
  const credential = async () => {
    turn += 1;
    if (turn === 2) throw new CommandFailure('the catalog does not answer');
    return Promise.resolve('pg-x');
  };
  const terminal = { input, output: new PassThrough(), errors };
  const unanswered = await chat(server.apiRoot, terminal, { credential });
  expect(unanswered).toBe(1);
  expect(errors.read()).toContain('the catalog does not answer\n');
  const messages = z
    .object({ messages: z.array(z.object({ content: z.string() })) })
    .parse(JSON.parse(asked[1] ?? ''))
    .messages.map(({ content }) => content);
  expect(messages).toEqual(['one', 'Hi', 'three']);
});

test('only an answer that was cut off at the maximum length is marked', async () => {
  const reasons = ['length', 'stop'];
  await using server = await serve((request, reply) => {
    request.resume();
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    const end = { choices: [{ delta: {}, finish_reason: reasons.shift() }] };
    reply.end(`${EVENT}data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  });
  const input = Readable.from(['one\ntwo\n']);
  const errors = new PassThrough().setEncoding('utf8');
  await chat(server.apiRoot, { input, output: new PassThrough(), errors });
  expect(String(errors.read()).match(/cut off at the maximum length/g)).toHaveLength(1);
});

test('the system message and the options are sent with each turn', async () => {
  const asked: unknown[] = [];
  await using server = await serve((request, reply) => {
    void json(request).then((body) => {
      asked.push(body);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(`${EVENT}data: [DONE]\n\n`);
    });
  });
  const input = Readable.from(['one\ntwo\n']);
  const terminal = { input, output: new PassThrough(), errors: new PassThrough() };
  const tools = [{ type: 'function', function: { name: 'look' } }];
  await chat(server.apiRoot, terminal, { system: 'Be brief.', reasoningEffort: 'low', tools });
  const always = { model: 'm', reasoning_effort: 'low', tools };
  expect(asked).toMatchObject([
    { ...always, messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] },
    { ...always, messages: [{ role: 'system' }, { role: 'user' }, {}, { role: 'user' }] },
  ]);
});

test('if the gateway does not answer, the turn is lost and the conversation continues', async () => {
  const gone = await serve(() => undefined);
  await gone[Symbol.asyncDispose]();
  const input = Readable.from(['one\ntwo\n']);
  const errors = new PassThrough().setEncoding('utf8');
  expect(await chat(gone.apiRoot, { input, output: new PassThrough(), errors })).toBe(2);
  expect(errors.read()).toContain('the connection to the gateway failed\n');
});
