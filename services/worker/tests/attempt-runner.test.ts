import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameKind, type Frame, type JobHeader } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { attemptRunner } from '../src/attempt-runner.ts';
import { Attempt, type FrameChannel } from '../src/domain/attempt.ts';
import { jobHeaderOf } from '../src/domain/job-header-fixture.ts';
import { SchemaChecker } from '../src/guarantees/schema-checker.ts';
import type { Dialect } from '../src/runtime/dialect.ts';
import { openAiDialect } from '../src/runtime/openai-dialect.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { sglangDialect } from '../src/runtime/sglang-dialect.ts';
import { vllmDialect } from '../src/runtime/vllm-dialect.ts';
import { silentLogger } from './gateway-double.ts';

useLeakCheck();

const piece = (content: string, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finishReason }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const OUT_OF_CONTEXT =
  'data: {"error":{"code":500,"message":"Context size has been exceeded."}}\n\n';

type Answer = (reply: ServerResponse) => void;

/** A runtime that answers each request, in their order, as the test says. */
const scriptedRuntime = (...answers: Answer[]) =>
  scriptedRuntimeOf({ dialect: openAiDialect, sharedCache: false }, ...answers);

async function scriptedRuntimeOf(
  { dialect, sharedCache }: { dialect: Dialect; sharedCache: boolean },
  ...answers: Answer[]
) {
  const bounds: unknown[] = [];
  const asked: string[] = [];
  let closed = 0;
  const server = createServer((request, reply) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const answer = answers[bounds.length];
      asked.push(body);
      bounds.push((JSON.parse(body) as { max_tokens?: number }).max_tokens);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      answer?.(reply);
    });
    reply.on('close', () => (closed += 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new RuntimeClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: undefined,
    connections: 1,
  });
  const schemas = new SchemaChecker({ logger: silentLogger });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await schemas[Symbol.asyncDispose]();
    await new Promise((resolve) => server.close(resolve));
  });
  let moments = 0;
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const run = attemptRunner({
    client,
    schemas,
    runtime: () => ({ dialect, models: ['m'], slots: undefined, load: undefined }),
    sharedCache,
    maxPayload: () => 1_048_576,
    // Counts the signs of life: nothing else asks for the time.
    now: () => (moments += 1),
    logger: createLogger({ service: 'worker', level: 'debug', destination }),
    onTrouble: () => undefined,
  });
  return { run, bounds, asked, lines, closed: () => closed };
}

const PLAIN_REQUEST = '{"messages":[{"role":"user","content":"Hello"}]}';

function attemptWith(header: Partial<JobHeader> = {}, body = PLAIN_REQUEST) {
  const deltas: unknown[] = [];
  const take = (frames: readonly Frame[]) => {
    for (const { kind, body } of frames) {
      if (kind === FrameKind.delta) deltas.push(JSON.parse(Buffer.from(body).toString()));
    }
  };
  const channel: FrameChannel = {
    lastSentAt: 0,
    send: (...frames) => take(frames),
    sendSoon: (makeFrame) => take([makeFrame()]),
    close: () => undefined,
    showGap: () => undefined,
  };
  const attempt = new Attempt({
    header: jobHeaderOf({ max_output_tokens: 50, ...header }),
    body: Buffer.from(body),
    channel,
    arrivedAt: 0,
    trace: undefined,
  });
  return { attempt, deltas };
}

describe('a runtime that is out of context', () => {
  it('before it has said anything is asked again without a bound that nobody asked for', async () => {
    const { run, bounds } = await scriptedRuntime(
      (reply) => reply.end(OUT_OF_CONTEXT),
      (reply) => reply.end(piece('Hi', 'stop') + DONE),
    );
    const { attempt, deltas } = attemptWith();
    expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'finished' });
    expect(bounds).toEqual([50, undefined]);
    expect(deltas).toEqual([{ content: 'Hi' }]);
  });

  it('is not asked again for another output than the client asked for', async () => {
    const { run, bounds, lines } = await scriptedRuntime(
      (reply) => reply.end(OUT_OF_CONTEXT),
      (reply) => reply.end(piece('Hi', 'stop') + DONE),
    );
    const { attempt, deltas } = attemptWith({ output_bound_requested: true });
    expect(await run(attempt, () => undefined)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'context_length_exceeded' },
    });
    expect(bounds).toEqual([50]);
    expect(deltas).toEqual([]);
    // The client's own doing, of which nobody need be warned.
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'info', reason: 'context_length_exceeded', msg: 'attempt failed' },
    ]);
  });

  it('in the middle of its answer is not asked to begin again', async () => {
    const { run, bounds } = await scriptedRuntime((reply) =>
      reply.end(piece('Hi') + OUT_OF_CONTEXT),
    );
    const { attempt, deltas } = attemptWith();
    expect(await run(attempt, () => undefined)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'context_length_exceeded' },
    });
    expect(bounds).toHaveLength(1);
    expect(deltas).toEqual([{ content: 'Hi' }]);
  });
});

it('an answer that breaks off has cost what came of it, though all came in one read', async () => {
  const { run, lines } = await scriptedRuntime((reply) =>
    reply.end(piece('Half') + piece(' an') + piece(' answer') + OUT_OF_CONTEXT),
  );
  let charged = 0;
  expect(await run(attemptWith().attempt, (tokens) => (charged += tokens))).toMatchObject({
    kind: 'failed',
  });
  expect(charged).toBe(3);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', msg: 'attempt failed' });
});

describe('what a runtime says of its cache', () => {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 5 },
  };

  it.each([
    ['is told where it keeps organizations apart', vllmDialect, false, 5],
    ['is not told where it may come from another organization', openAiDialect, false, 0],
    ['is not told where older versions pass over the salt', sglangDialect, false, 0],
    ['is told where the operator shares it among all', openAiDialect, true, 5],
  ])('%s', async (_, dialect, sharedCache, told) => {
    const { run } = await scriptedRuntimeOf({ dialect, sharedCache }, (reply) =>
      reply.end(`${piece('Hi', 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\n${DONE}`),
    );
    expect(await run(attemptWith().attempt, () => undefined)).toMatchObject({
      kind: 'finished',
      usage: { input_tokens: 9, cached_tokens: told },
    });
  });
});

it('an answer is charged token by token while it comes', async () => {
  const { run } = await scriptedRuntime((reply) => {
    reply.write(piece('One') + piece(' two'));
    reply.end(piece(' three') + piece('', 'stop') + DONE);
  });
  let charged = 0;
  await run(attemptWith().attempt, (tokens) => (charged += tokens));
  expect(charged).toBe(3);
});

it('an answer that does not stream leaves room for other frames in its one message', async () => {
  const { run } = await scriptedRuntime((reply) =>
    reply.end(piece('x'.repeat(1_000_000), 'stop') + DONE),
  );
  const { attempt } = attemptWith({ stream: false });
  expect(await run(attempt, () => undefined)).toMatchObject({
    kind: 'failed',
    failure: { reason: 'invalid_output', retryable: false },
  });
});

describe('a function that the client named', () => {
  const request = JSON.stringify({
    messages: [{ role: 'user', content: 'Hello' }],
    tools: ['f', 'g'].map((name) => ({ type: 'function', function: { name } })),
    tool_choice: { type: 'function', function: { name: 'g' } },
  });
  const call = (index: number, name: string) =>
    `data: ${JSON.stringify({
      choices: [
        {
          delta: {
            tool_calls: [{ index, id: `c${index}`, function: { name, arguments: '{}' } }],
          },
        },
      ],
    })}\n\n`;
  const outcomeOf = async (answer: string) => {
    const { run } = await scriptedRuntime((reply) => reply.end(answer + DONE));
    return run(attemptWith({}, request).attempt, () => undefined);
  };

  it.each([
    ['words', piece('No.', 'stop')],
    ['words that end like a call', piece('No.', 'tool_calls')],
    ['nothing', piece('', 'stop')],
    ['a call of another', call(0, 'f') + piece('', 'tool_calls')],
    ['a call of another beside it', call(0, 'g') + call(1, 'f') + piece('', 'tool_calls')],
  ])('is not called by %s: the promise is broken', async (_, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'invalid_output', retryable: false },
    });
  });

  it.each([
    ['once', call(0, 'g') + piece('', 'tool_calls')],
    ['twice', call(0, 'g') + call(1, 'g') + piece('', 'tool_calls')],
    ['and ended with stop', call(0, 'g') + piece('', 'stop')],
    ['after words', piece('Well: ') + call(0, 'g') + piece('', 'tool_calls')],
  ])('may be called %s', async (_, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({ kind: 'finished', finishReason: 'tool_calls' });
  });

  it.each(['length', 'content_filter'])(
    'is not missed in an answer that ends with %s',
    async (reason) => {
      expect(await outcomeOf(piece('Well', reason))).toMatchObject({
        kind: 'finished',
        finishReason: reason,
      });
    },
  );
});

it('a schema with a long integer reaches the runtime as it is, and its check as numbers', async () => {
  const schema = '{"type":"integer","maximum":9223372036854775807}';
  const request = `{"messages":[],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`;
  const { run, asked } = await scriptedRuntime(
    (reply) => reply.end(piece('7', 'stop') + DONE),
    (reply) => reply.end(piece('1e19', 'stop') + DONE),
  );
  const outcomeOf = () => run(attemptWith({}, request).attempt, () => undefined);
  expect(await outcomeOf()).toMatchObject({ kind: 'finished' });
  expect(await outcomeOf()).toMatchObject({
    kind: 'failed',
    failure: { reason: 'invalid_output' },
  });
  expect(asked[0]).toContain(schema);
});

it('a reply that is left open after its end marker does not keep the connection', async () => {
  const { run, closed } = await scriptedRuntime(
    (reply) => reply.write(piece('Hi', 'stop') + DONE),
    (reply) => reply.end(piece('again', 'stop') + DONE),
  );
  expect(await run(attemptWith().attempt, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(closed()).toBe(0);
  // There is one connection: the next generation begins once it is given up.
  const { attempt, deltas } = attemptWith();
  expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(deltas).toEqual([{ content: 'again' }]);
  await waitUntil(() => closed() === 2, { what: 'both replies to be closed' });
});

describe('a connection that breaks', () => {
  /** A runtime whose connection breaks as soon as what it says has arrived, and which then answers as ever. */
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
    // There is one connection: once there is another, it is known that the first is broken.
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
  ])('behind an answer, %s, takes nothing away from it', async (_, said) => {
    const { outcome } = await breaking(said);
    expect(await outcome).toMatchObject({ kind: 'finished', finishReason: 'stop' });
  });

  it('while an answer is checked takes nothing away from it', async () => {
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

it('an error that a runtime tells of behind its answer fails the answer', async () => {
  const { run } = await scriptedRuntime((reply) =>
    reply.end(`${piece('Hi', 'stop')}data: {"error":{"code":500,"message":"Broken."}}\n\n`),
  );
  expect(await run(attemptWith().attempt, () => undefined)).toMatchObject({
    kind: 'failed',
    failure: { reason: 'upstream_unavailable' },
  });
});

it('an attempt that is cancelled while its prompt is counted never reaches the runtime', async () => {
  const counted = Promise.withResolvers<number>();
  const dialect: Dialect = { ...openAiDialect, countPrompt: () => counted.promise };
  const { run, asked } = await scriptedRuntimeOf({ dialect, sharedCache: false }, (reply) =>
    reply.end(piece('Hi', 'stop') + DONE),
  );
  // Too short to tell by its bytes whether everything fits.
  const { attempt } = attemptWith({ context_length: 60 });
  const outcome = run(attempt, () => undefined);
  attempt.stop('cancelled');
  expect(await outcome).toEqual({ kind: 'abandoned', reason: 'cancelled' });
  counted.resolve(5);
  await new Promise((resolve) => setImmediate(resolve));
  // There is one connection: whatever was begun before this would be there before it.
  const { attempt: next, deltas } = attemptWith();
  expect(await run(next, () => undefined)).toMatchObject({ kind: 'finished' });
  expect(deltas).toEqual([{ content: 'Hi' }]);
  expect(asked).toHaveLength(1);
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

it('a runtime whose error does not end is not listened to for ever', async () => {
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
  const failure = new Promise((resolve) => {
    const ignore = () => undefined;
    const handlers = { onStart: ignore, onData: ignore, onEnd: ignore, onBreak: ignore };
    client.generate({}, {}, { ...handlers, onFailure: resolve });
  });
  expect(await failure).toMatchObject({ reason: 'upstream_unavailable', status: 500 });
});

it('a worker that stood still takes the usage that came meanwhile', async () => {
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
  // The usage has come, and the timer's turn is first.
  vi.advanceTimersByTime(10_000);
  expect(await outcome).toMatchObject({
    kind: 'finished',
    usage: { input_tokens: 1_234, output_tokens: 56 },
  });
});

describe('a sign of life', () => {
  it.each([
    ['no comment', ': still here\n\n', 1, false],
    [
      'a chunk that says nothing yet',
      'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n',
      2,
      false,
    ],
    ['a word, after which the next is awaited', piece('Hi'), 2, true],
  ])('is %s', async (_, sent, signs, speaking) => {
    const { run } = await scriptedRuntime((reply) => reply.end(sent));
    const { attempt } = attemptWith();
    expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'failed' });
    expect(attempt.progress).toMatchObject({ lastSignAt: signs, speaking });
  });
});
