import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { planAnswer } from '../src/answer.ts';
import { StreamedReply } from '../src/streamed-reply.ts';
import { gather, question } from './ask.ts';

const tokens = 30_000;
const models = [{ name: 'big', reasoning: false, contextLength: 100_000 }];
const body = question('x', { tokens }, { model: 'big', stream: true });

test('output that a client does not read is generated only when it reads', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ port, host: '127.0.0.1' }).end();
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const { plan } = planAnswer(body, models);
  const reply = new StreamedReply(plan, response, {
    id: 'chatcmpl-x',
    created: 0,
    reasoningField: 'reasoning',
  });
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.pause();

  let mostKept = 0;
  for (let produced = 100; produced <= tokens; produced += 100) {
    reply.deliver(produced, produced === tokens);
    mostKept = Math.max(mostKept, response.socket?.writableLength ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(mostKept).toBeGreaterThan(0);
  expect(mostKept).toBeLessThan(200_000);

  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const received = Buffer.concat(pieces);
  expect(received.length).toBeGreaterThan(tokens * 150);
  const [part] = plan.parts;
  expect(gather(received.toString())).toMatchObject({ content: part?.text, done: true });
  server.closeAllConnections();
  server.close();
});
