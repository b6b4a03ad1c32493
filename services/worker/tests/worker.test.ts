import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { simulatedAnswer } from '@sluice/simulator';
import { describe, expect, it } from 'vitest';
import { useBench, type Bench } from './bench-worker.ts';

useLeakCheck();
const bench = useBench(useNats());

const send: Bench['gateway']['send'] = (...job) => bench.gateway.send(...job);
const idle = { slots: 4, running: 0, queued: 0, queue_limit: 8 };

describe('a streamed job', () => {
  it('is answered with numbered frames from accepted to finished', async () => {
    const attempt = await send(bench.worker.id, { sim: { tokens: 20 } }).untilOver();
    expect(attempt.frames.map(({ number }) => number)).toEqual(
      attempt.frames.map((_, index) => index),
    );
    const kinds = attempt.kinds();
    expect(kinds.slice(0, 2)).toEqual(['accepted', 'started']);
    expect(kinds.slice(-2)).toEqual(['usage', 'finished']);
    expect(new Set(kinds.slice(2, -2))).toEqual(new Set(['delta']));
    expect(attempt.body('accepted')).toEqual({ load: { ...idle, running: 1 } });
    expect(attempt.body('finished')).toEqual({ finish_reason: 'stop', load: idle });
    expect(attempt.body('usage')).toMatchObject({
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    // The gateway writes the role itself.
    expect(attempt.deltas().every((delta) => !('role' in delta))).toBe(true);
  });

  it.each([
    ['split into single bytes', { split: 1 }],
    ['with CRLF and comments', { crlf: true, comments: true }],
    ['without usage', { usage: false }],
    ['without an end marker', { done: false }],
  ])('has the whole text of a stream %s', async (_, steering) => {
    const sim = { tokens: 60, reasoning: 20, ...steering };
    const model = 'sluice-demo';
    const attempt = await send(bench.worker.id, {
      sim,
      header: { model, runtime_model: model },
    }).untilOver();
    const expected = simulatedAnswer({
      model,
      messages: [{ role: 'user', content: `Say something.\n@sim ${JSON.stringify(sim)}` }],
    });
    expect(attempt.kinds().at(-1)).toBe('finished');
    expect(attempt.text('content')).toBe(expected.content);
    expect(attempt.text('reasoning_content')).toBe(expected.reasoning);
    const usage = attempt.body('usage') as { completion_tokens: number };
    expect(usage.completion_tokens).toBeGreaterThan(0);
    const firstContent = attempt.deltas().findIndex((delta) => 'content' in delta);
    const lastReasoning = attempt.deltas().findLastIndex((delta) => 'reasoning_content' in delta);
    expect(lastReasoning).toBeLessThan(firstContent);
  });

  it('has the estimated input tokens in its usage if the runtime did not count them', async () => {
    const attempt = await send(bench.worker.id, {
      sim: { usage: false },
      header: { estimated_input_tokens: 123 },
    }).untilOver();
    expect(attempt.body('usage')).toMatchObject({ prompt_tokens: 123 });
  });

  it('sends the frames of one turn of the event loop as one message', async () => {
    const attempt = await send(bench.worker.id, { sim: { tokens: 400, itl_ms: 0 } }).untilOver();
    expect(attempt.deltas().length).toBeGreaterThan(300);
    expect(attempt.messages).toBeLessThan(attempt.deltas().length / 3);
  });

  it('has tool calls with ids that the worker made', async () => {
    const attempt = await send(bench.worker.id, {
      sim: { tool: 'get_weather' },
      body: {
        tools: [
          {
            type: 'function',
            function: {
              name: 'get_weather',
              parameters: {
                type: 'object',
                properties: { city: { type: 'string' } },
                required: ['city'],
              },
            },
          },
        ],
      },
    }).untilOver();
    expect(attempt.body('finished')).toMatchObject({ finish_reason: 'tool_calls' });
    const fragments = attempt
      .deltas()
      .flatMap(({ tool_calls: calls }) => calls as { function: { arguments: string } }[]);
    expect(fragments[0]).toEqual({
      index: 0,
      id: expect.stringMatching(/^call_nchatcmpl-tool-\w{32}$/) as unknown,
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
    });
    const text = fragments.map((fragment) => fragment.function.arguments).join('');
    expect(JSON.parse(text)).toHaveProperty('city');
  });
});

describe('a job that does not stream', () => {
  it('is answered with one message of the whole reply, its usage and its end', async () => {
    const attempt = await send(bench.worker.id, {
      header: { stream: false, model: 'sluice-demo', runtime_model: 'sluice-demo' },
      sim: { tokens: 30, reasoning: 10 },
    }).untilOver();
    expect(attempt.kinds()).toEqual(['accepted', 'delta', 'usage', 'finished']);
    const last = attempt.frames.slice(-3);
    expect(new Set(last.map(({ message }) => message)).size).toBe(1);
    expect(Object.keys(attempt.body('delta') as object)).toEqual([
      'role',
      'content',
      'refusal',
      'reasoning_content',
    ]);
  });
});

describe('refusals', () => {
  it('answer a job for a model that is not served', async () => {
    const attempt = await send(bench.worker.id, { header: { runtime_model: 'other' } }).untilOver();
    expect(attempt.body('refused')).toEqual({ reason: 'unknown_model', load: idle });
  });

  it('answer a job of another version of the contract', async () => {
    const attempt = await send(bench.worker.id, { header: { contract: 999 } }).untilOver();
    expect(attempt.body('refused')).toMatchObject({ reason: 'incompatible' });
  });

  it('answer a job that cannot be read', async () => {
    const attempt = send(bench.worker.id, { header: { run_ms: 0 } });
    expect((await attempt.untilOver()).body('refused')).toMatchObject({ reason: 'malformed' });
  });

  it('are sent at once while slots and queue are full', async () => {
    const busy = Array.from({ length: 12 }, () =>
      send(bench.worker.id, { sim: { stall_after: 1 } }),
    );
    await Promise.all(busy.map((attempt) => attempt.until('accepted')));
    const refused = await send(bench.worker.id).untilOver();
    expect(refused.body('refused')).toMatchObject({
      reason: 'full',
      load: { running: 4, queued: 8 },
    });
    await Promise.all(busy.map(({ name }) => bench.gateway.cancel(bench.worker.id, name)));
  });

  it('return the newest job of the organization with most queued jobs, for one that has none', async () => {
    const busy = Array.from({ length: 12 }, () =>
      send(bench.worker.id, { sim: { stall_after: 1 } }),
    );
    await Promise.all(busy.map((attempt) => attempt.until('accepted')));
    const other = send(bench.worker.id, { header: { organization: 'org-b' }, sim: { tokens: 3 } });
    await other.until('accepted');
    const displaced = await waitUntil(
      () => busy.find((attempt) => attempt.kinds().includes('refused')),
      {
        what: 'a displaced job',
      },
    );
    expect(displaced).toBe(busy[11]);
    expect(displaced.body('refused')).toMatchObject({ reason: 'full' });
    // The newcomer gets the next free slot, although eight jobs were queued before.
    await bench.gateway.cancel(bench.worker.id, busy[0]?.name ?? '');
    expect((await other.untilOver()).kinds().at(-1)).toBe('finished');
    await Promise.all(busy.map(({ name }) => bench.gateway.cancel(bench.worker.id, name)));
  });
});

describe('failures of the runtime', () => {
  it.each([
    [
      'an error before any answer',
      { status: 500 },
      { reason: 'upstream_unavailable', retryable: true },
    ],
    ['a busy runtime', { status: 503 }, { reason: 'upstream_busy', retryable: true }],
    [
      'rejected credentials',
      { status: 401 },
      { reason: 'upstream_credentials_rejected', retryable: false },
    ],
    ['another refusal', { status: 422 }, { reason: 'invalid_request', retryable: false }],
    ['a wrong address', { status: 404 }, { reason: 'upstream_unavailable', retryable: false }],
    [
      'an error object in the stream',
      { fail_after: 3 },
      { reason: 'upstream_unavailable', retryable: true },
    ],
    [
      'an error event in the stream',
      { fail_after: 3, fail_as: 'event' },
      { reason: 'upstream_unavailable', retryable: true },
    ],
    [
      'a connection that breaks',
      { cut_after: 3 },
      { reason: 'upstream_unavailable', retryable: true },
    ],
    ['malformed JSON', { malformed_after: 3 }, { reason: 'upstream_unavailable', retryable: true }],
    [
      'a generation that was aborted',
      { tokens: 3, finish_reason: 'abort' },
      { reason: 'upstream_unavailable', retryable: true },
    ],
  ])('%s', async (_, sim, failed) => {
    for (const stream of [true, false]) {
      const attempt = await send(bench.worker.id, { sim, header: { stream } }).untilOver();
      expect(attempt.kinds().at(-1)).toBe('failed');
      expect(attempt.body('failed')).toEqual(failed);
    }
  });

  it('a request that is too long is distinguished from other refusals', async () => {
    const attempt = await send(bench.worker.id, {
      body: { messages: [{ role: 'user', content: 'word '.repeat(270_000) }] },
    }).untilOver();
    expect(attempt.body('failed')).toEqual({ reason: 'context_length_exceeded', retryable: false });
  });

  it('a requested output bound that does not fit is refused, and a default one is reduced', async () => {
    const header = { context_length: 262_144, max_output_tokens: 262_000 };
    const body = {
      messages: [{ role: 'user', content: `${'word '.repeat(1_000)}\n@sim {"tokens":4}` }],
    };
    const asked = await send(bench.worker.id, {
      header: { ...header, output_bound_requested: true },
      body,
    }).untilOver();
    expect(asked.body('failed')).toEqual({ reason: 'context_length_exceeded', retryable: false });
    const unasked = await send(bench.worker.id, { header, body }).untilOver();
    expect(unasked.kinds().at(-1)).toBe('finished');
    // Without a context length, the runtime refuses, and the request is repeated without the default bound.
    const unknown = await send(bench.worker.id, {
      header: { max_output_tokens: 262_000 },
      body,
    }).untilOver();
    expect(unknown.kinds().at(-1)).toBe('finished');
  });
});

describe('heartbeats', () => {
  it('are sent every second with the load', async () => {
    const before = bench.gateway.heartbeats.length;
    await waitUntil(() => bench.gateway.heartbeats.length >= before + 2, {
      what: 'two heartbeats',
    });
    expect(bench.gateway.newest(bench.worker.id)).toEqual({
      worker: bench.worker.id,
      worker_name: 'gpu-3',
      pool: 'default',
      host: 'rack-7',
      runtime: new URL(bench.simulator.url).host,
      contract: 2,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
      models: ['sluice-demo', 'sluice-small', 'sluice-strict'],
      draining: false,
      load: idle,
      service_ms: null,
      generated_tokens: 0,
      runtime_load: { running: 0, waiting: 0, cache_use: 0 },
    });
  });

  it('show at once that the worker is draining', async () => {
    const attempt = send(bench.worker.id, { sim: { tokens: 300 } });
    await attempt.until('delta');
    const stopping = bench.worker[Symbol.asyncDispose]();
    await waitUntil(() => bench.gateway.newest(bench.worker.id)?.draining, {
      what: 'the announcement',
      timeoutMs: 500,
    });
    const late = await send(bench.worker.id).untilOver();
    expect(late.body('refused')).toMatchObject({ reason: 'draining' });
    expect((await attempt.untilOver()).kinds().at(-1)).toBe('finished');
    await stopping;
    expect(bench.worker.readiness().ready).toBe(false);
  });
});

describe('readiness', () => {
  it('shows the runtime that was detected', () => {
    expect(bench.worker.readiness()).toMatchObject({
      ready: true,
      details: { runtime: 'vllm', bus: 'connected' },
    });
  });
});
