import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Dialect } from '../src/dialects/dialect.ts';
import { openAiDialect } from '../src/dialects/openai.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { replyWith } from '../src/stream/reply-builder-fixture.ts';
import { SchemaChecker } from '../src/verify/schema-checker.ts';
import {
  DONE,
  PLAIN_REQUEST,
  attemptWith,
  piece,
  scriptedRuntime,
  scriptedRuntimeOf,
} from './scripted-runtime.ts';

useLeakCheck();

/** Unusual ends of a generation: broken off, left open, cancelled, or noticed late. */

it('closes a response that stays open after its end marker', async () => {
  const { run, closed } = await scriptedRuntime(
    (reply) => reply.write(piece('Hi', 'stop') + DONE),
    (reply) => reply.end(piece('again', 'stop') + DONE),
  );
  expect(await run(attemptWith().attempt, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(closed()).toBe(0);
  // There is only one connection, so the next generation begins after it was closed.
  const { attempt, deltas } = attemptWith();
  expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(deltas).toEqual([{ content: 'again' }]);
  await waitUntil(() => closed() === 2, { what: 'both replies to be closed' });
});

it('a last event without a line end is part of the answer', async () => {
  const { run } = await scriptedRuntime((reply) => reply.end(piece('Hi', 'stop').trimEnd()));
  const { attempt, deltas } = attemptWith();
  expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(deltas).toEqual([{ content: 'Hi' }]);
});

describe('a connection that breaks', () => {
  /** A runtime whose first connection breaks as soon as its output has arrived. */
  async function breaking(said: string, body = PLAIN_REQUEST) {
    const opened = Promise.withResolvers<ServerResponse>();
    const { run } = await scriptedRuntime(
      (reply) => {
        reply.write(said);
        opened.resolve(reply);
      },
      (reply) => reply.end(piece('again', 'stop') + DONE),
    );
    const { attempt, deltas } = attemptWith({}, body);
    const outcome = run(attempt, () => undefined);
    const reply = await opened.promise;
    await waitUntil(() => deltas.length === 1, { what: 'what was said' });
    reply.destroy();
    // There is only one connection, so a second one shows that the first is known to be broken.
    const next = await run(attemptWith().attempt, () => undefined);
    expect(next).toMatchObject({ kind: 'finished' });
    return { outcome };
  }

  it('in the middle of an answer fails it', async () => {
    const { outcome } = await breaking(piece('Hi'));
    expect(await outcome).toMatchObject({
      kind: 'failed',
      failure: { reason: 'upstream_unavailable', retryable: true },
    });
  });

  it.each([
    ['before its usage', piece('Hi', 'stop')],
    ['in the middle of its usage', `${piece('Hi', 'stop')}data: {"choices":[],"usa`],
    ['after its end marker', piece('Hi', 'stop') + DONE],
  ])('after an answer, %s, does not change it', async (_, said) => {
    const { outcome } = await breaking(said);
    expect(await outcome).toMatchObject({ kind: 'finished', finishReason: 'stop' });
  });

  it('while a reply is being checked does not affect it', async () => {
    const verdict = Promise.withResolvers<'matches'>();
    const check = vi.spyOn(SchemaChecker.prototype, 'check').mockReturnValue(verdict.promise);
    onTestFinished(() => check.mockRestore());
    const format = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'integer' } } };
    const body = JSON.stringify({ messages: [], response_format: format });
    const { outcome } = await breaking(piece('7', 'stop') + DONE, body);
    expect(check).toHaveBeenCalledOnce();
    verdict.resolve('matches');
    expect(await outcome).toMatchObject({ kind: 'finished' });
  });
});

it('an error event after the last output fails the attempt', async () => {
  const { run } = await scriptedRuntime((reply) =>
    reply.end(`${piece('Hi', 'stop')}data: {"error":{"code":500,"message":"Broken."}}\n\n`),
  );
  expect(await run(attemptWith().attempt, () => undefined)).toMatchObject({
    kind: 'failed',
    failure: { reason: 'upstream_unavailable' },
  });
});

it('an attempt that is cancelled while its prompt is counted never reaches the runtime', async () => {
  const counting = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<number>();
  const dialect: Dialect = {
    ...openAiDialect,
    promptLengthRequest: () => ({ path: '/tokenize', body: {} }),
    promptLength: () => {
      counting.resolve();
      return counted.promise;
    },
  };
  const { run, asked } = await scriptedRuntimeOf(
    { dialect, sharedCache: false },
    (reply) => reply.end('{}'),
    (reply) => reply.end(piece('Hi', 'stop') + DONE),
  );
  // The context is so short that the prompt must be counted.
  const { attempt } = attemptWith({ context_length: 60 });
  const outcome = run(attempt, () => undefined);
  await counting.promise;
  attempt.stop('cancelled');
  expect(await outcome).toEqual({ kind: 'abandoned', reason: 'cancelled' });
  counted.resolve(5);
  await new Promise((resolve) => setImmediate(resolve));
  // There is only one connection, so an earlier request would arrive before this one.
  const { attempt: next, deltas } = attemptWith();
  expect(await run(next, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(deltas).toEqual([{ content: 'Hi' }]);
  expect(asked).toEqual(['{}', expect.stringContaining('Hello')]);
});

it('an attempt that is cancelled before it has a connection never reaches the runtime', async () => {
  let first: ServerResponse | undefined;
  const { run, asked } = await scriptedRuntime(
    (reply) => (first = reply).write(piece('One')),
    (reply) => reply.end(piece('Two', 'stop') + DONE),
  );
  const { attempt: running, deltas: heard } = attemptWith();
  const finished = run(running, () => undefined);
  await waitUntil(() => heard.length === 1, { what: 'the first word' });
  const { attempt: waiting } = attemptWith({ attempt: 2 });
  const outcome = run(waiting, () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  waiting.stop('cancelled');
  expect(await outcome).toEqual({ kind: 'abandoned', reason: 'cancelled' });
  first?.end(piece('', 'stop') + DONE);
  expect(await finished).toMatchObject({ kind: 'finished' });
  const { attempt: next, deltas } = attemptWith({ attempt: 3 });
  expect(await run(next, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(deltas).toEqual([{ content: 'Two' }]);
  expect(asked).toHaveLength(2);
});

it('gives up on an error response that does not end', async () => {
  const server = createServer((_, reply) => {
    reply.writeHead(500, { 'content-type': 'text/plain' });
    const more = setInterval(() => reply.write('x'.repeat(16_384)), 1);
    reply.on('close', () => clearInterval(more));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new RuntimeClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: undefined,
    connections: 1,
  });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await new Promise((resolve) => server.close(resolve));
  });
  const generation = client.generate(
    '{}',
    {},
    {
      attempt: attemptWith().attempt,
      request: { generation: '{}' },
      reply: replyWith(),
      charge: () => undefined,
      clock: () => 0,
    },
  );
  expect(await generation.ended).toMatchObject({
    kind: 'failed',
    failure: { reason: 'upstream_unavailable', status: 500 },
  });
});

it('a worker that was paused reads a usage that arrived during the pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let reply: ServerResponse | undefined;
  const { run } = await scriptedRuntime((opened) => {
    reply = opened;
    opened.write(piece('Hi', 'stop'));
  });
  const { attempt, deltas } = attemptWith();
  const outcome = run(attempt, () => undefined);
  await waitUntil(() => deltas.length === 1, { what: 'the answer' });
  const usage = { prompt_tokens: 1_234, completion_tokens: 56 };
  reply?.end(`data: ${JSON.stringify({ choices: [], usage })}\n\n${DONE}`);
  await new Promise(process.nextTick);
  // The usage has arrived, but the timer fires before it is read.
  vi.advanceTimersByTime(10_000);
  expect(await outcome).toMatchObject({
    kind: 'finished',
    usage: { input_tokens: 1_234, output_tokens: 56 },
  });
});
