import { useLeakCheck } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { openAiDialect } from '../src/dialects/openai.ts';
import { sglangDialect } from '../src/dialects/sglang.ts';
import { vllmDialect } from '../src/dialects/vllm.ts';
import { stalledStage } from '../src/schedule/attempt-clock.ts';
import { LARGE_REQUESTS } from './large-requests.ts';
import {
  DONE,
  attemptWith,
  piece,
  scriptedRuntime,
  scriptedRuntimeOf,
} from './scripted-runtime.ts';

useLeakCheck();

const OUT_OF_CONTEXT =
  'data: {"error":{"code":400,"message":"request (600 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error"}}\n\n';
const OUT_OF_SHARED_CACHE =
  'data: {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}\n\n';

it('releases the body of a request that was read', async () => {
  const { run } = await scriptedRuntime((reply) => reply.end(piece('Hi', 'stop') + DONE));
  const { attempt } = attemptWith();
  const running = run(attempt, () => undefined);
  expect(attempt.takeBody()).toHaveLength(0);
  expect(await running).toMatchObject({ kind: 'finished' });
});

describe('a large request', () => {
  it('that takes too long to translate fails as worker_busy, not as invalid', async () => {
    const options = { dialect: openAiDialect, sharedCache: false, translation: { limitMs: 50 } };
    const { run, asked } = await scriptedRuntimeOf(options);
    const slow = LARGE_REQUESTS['a function with a long integer among a million choices'];
    const { attempt } = attemptWith({}, String(slow));
    expect(await run(attempt, () => undefined)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'worker_busy', retryable: false, retryAfterMs: 1_000 },
    });
    expect(asked).toEqual([]);
  });

  it('does not count as a stall while it is being translated', async () => {
    const stall = { firstTokenMs: 5_000, firstTokenWhileDownMs: 5_000, interTokenMs: 5_000 };
    const stageAfter = (silentMs: number) =>
      stalledStage(attempt, attempt.progress.lastActivityAt + silentMs, {
        stall,
        downSince: () => undefined,
      });
    let whenAsked: string | undefined;
    const { run } = await scriptedRuntime((reply) => {
      whenAsked = stageAfter(5_000);
      reply.end(piece('Hi', 'stop') + DONE);
    });
    const content = 'x'.repeat(40_000);
    const { attempt } = attemptWith({}, JSON.stringify({ messages: [{ role: 'user', content }] }));
    attempt.state = 'running';
    const running = run(attempt, () => undefined);
    expect(stageAfter(60_000)).toBeUndefined();
    expect(await running).toMatchObject({ kind: 'finished' });
    expect(whenAsked).toBe('first_word');
  });

  it('that cannot be read fails as invalid', async () => {
    const { run } = await scriptedRuntime();
    expect(await run(attemptWith({}, '{'.repeat(40_000)).attempt, () => undefined)).toMatchObject({
      failure: { reason: 'invalid_request', retryable: false },
    });
  });
});

describe('a runtime that is out of context', () => {
  it('before its first output is asked again without a bound that the client did not ask for', async () => {
    const { run, bounds } = await scriptedRuntime(
      (reply) => reply.end(OUT_OF_CONTEXT),
      (reply) => reply.end(piece('Hi', 'stop') + DONE),
    );
    const { attempt, deltas } = attemptWith();
    expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'finished' });
    expect(bounds).toEqual([50, undefined]);
    expect(deltas).toEqual([{ content: 'Hi' }]);
  });

  it('is not asked again without a bound that the client asked for', async () => {
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
    // The client caused this failure, so it is logged as information.
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'info', reason: 'context_length_exceeded', msg: 'attempt failed' },
    ]);
  });

  it('after its first output is not asked again', async () => {
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

it.each([
  ['before its first output', '', []],
  ['after its first output', piece('Hi'), [{ content: 'Hi' }]],
])(
  'a runtime whose slots have filled the cache that they share %s is busy, and not asked for less',
  async (_, said, sent) => {
    const { run, bounds, lines } = await scriptedRuntime(
      (reply) => reply.end(said + OUT_OF_SHARED_CACHE),
      (reply) => reply.end(piece('Hi', 'stop') + DONE),
    );
    const { attempt, deltas } = attemptWith();
    expect(await run(attempt, () => undefined)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'upstream_busy', retryable: true },
    });
    expect(bounds).toEqual([50]);
    expect(deltas).toEqual(sent);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', reason: 'upstream_busy' });
  },
);

it('charges the tokens before an error, even if all came in one read', async () => {
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

describe('the number of cached tokens', () => {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 5 },
  };

  it.each([
    ['is reported if the runtime separates organizations', vllmDialect, false, 5],
    ['is not reported if the prompt may come from another organization', openAiDialect, false, 0],
    ['is not reported if older versions ignore the salt', sglangDialect, false, 0],
    ['is reported if organizations may share the cache', openAiDialect, true, 5],
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

it('charges output token by token while it arrives', async () => {
  const { run } = await scriptedRuntime((reply) => {
    reply.write(piece('One') + piece(' two'));
    reply.end(piece(' three') + piece('', 'stop') + DONE);
  });
  let charged = 0;
  await run(attemptWith().attempt, (tokens) => (charged += tokens));
  expect(charged).toBe(3);
});

it('a reply that does not stream leaves room for the other frames of its message', async () => {
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
    ['content', piece('No.', 'stop')],
    ['content with the finish reason of a call', piece('No.', 'tool_calls')],
    ['nothing', piece('', 'stop')],
    ['a call of another function', call(0, 'f') + piece('', 'tool_calls')],
    ['a call of another function beside it', call(0, 'g') + call(1, 'f') + piece('', 'tool_calls')],
  ])('is not called by %s: the promise is broken', async (_, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'invalid_output', retryable: true, fault: 'tool_choice_differs' },
    });
  });

  it.each([
    ['once', call(0, 'g') + piece('', 'tool_calls')],
    ['twice', call(0, 'g') + call(1, 'g') + piece('', 'tool_calls')],
    ['with the finish reason stop', call(0, 'g') + piece('', 'stop')],
    ['after content', piece('Well: ') + call(0, 'g') + piece('', 'tool_calls')],
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

it.each([
  ['an object', '{"a":"', '"}', undefined],
  ['no object', '["', '"]', 'not_json_object'],
])('a long reply of json_object is checked too: it is %s', async (_, before, after, fault) => {
  const { run, lines } = await scriptedRuntime((reply) =>
    reply.end(piece(`${before}${'x'.repeat(100_000)}${after}`, 'stop') + DONE),
  );
  const request = '{"messages":[],"response_format":{"type":"json_object"}}';
  const outcome = await run(attemptWith({}, request).attempt, () => undefined);
  expect(outcome.kind).toBe(fault === undefined ? 'finished' : 'failed');
  expect(lines.map((line) => (JSON.parse(line) as { fault?: string }).fault)).toEqual([fault]);
  expect(lines.join('')).not.toContain('xxx');
});

it.each([true, false])(
  'a call that was cut off by the bound ends with length, even if the runtime sends tool_calls (stream: %s)',
  async (stream) => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{"text": "Once upon' } };
    const begun = { choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };
    const counted = { choices: [], usage: { prompt_tokens: 30, completion_tokens: 50 } };
    const answer = [begun, counted].map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');
    const { run, bounds } = await scriptedRuntimeOf(
      { dialect: vllmDialect, sharedCache: false },
      (reply) => reply.end(answer + DONE),
    );
    const { attempt } = attemptWith({ stream, max_output_tokens: 50 });
    expect(await run(attempt, () => undefined)).toMatchObject({
      kind: 'finished',
      finishReason: 'length',
    });
    expect(bounds).toEqual([50]);
  },
);

it('a runtime gets back the call ids that it made', async () => {
  const calls = [
    { index: 0, id: 'functions.f:0', function: { name: 'f', arguments: '{}' } },
    { index: 1, id: 'a1B2c3D4e', function: { name: 'f', arguments: '{}' } },
  ];
  const called = { choices: [{ delta: { tool_calls: calls }, finish_reason: 'tool_calls' }] };
  const { run, asked } = await scriptedRuntime(
    (reply) => reply.end(`data: ${JSON.stringify(called)}\n\n${DONE}`),
    (reply) => reply.end(piece('Done.', 'stop') + DONE),
  );
  const { attempt, deltas } = attemptWith();
  await run(attempt, () => undefined);
  const ids = deltas.flatMap((delta) => JSON.stringify(delta).match(/call_n[^"]+/) ?? []);
  expect(ids).toHaveLength(2);
  const messages = [
    { role: 'assistant', tool_calls: ids.map((id) => ({ id, function: { name: 'f' } })) },
    ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' })),
  ];
  await run(attemptWith({}, JSON.stringify({ messages })).attempt, () => undefined);
  expect(JSON.parse(asked[1] ?? '')).toMatchObject({
    messages: [
      { tool_calls: calls.map(({ id }) => ({ id })) },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id })),
    ],
  });
});

it('a schema with a long integer reaches the runtime unchanged, and its check as a number', async () => {
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

describe('activity of the runtime', () => {
  it.each([
    ['not a comment', ': still here\n\n', 1, false],
    ['a chunk without output', 'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n', 2, false],
    ['a chunk with output', piece('Hi'), 2, true],
  ])('is %s', async (_, sent, signs, hasOutput) => {
    const { run } = await scriptedRuntime((reply) => reply.end(sent));
    const { attempt } = attemptWith();
    expect(await run(attempt, () => undefined)).toMatchObject({ kind: 'failed' });
    expect(attempt.progress).toMatchObject({ lastActivityAt: signs, hasOutput });
  });
});
