// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { expect } from 'vitest';
import { completionHead } from '../completion-request.ts';
import { refuses, type Case, type CaseGroup } from './case.ts';
import { expectError, whole } from './expectations.ts';
import { sim } from './messages.ts';
import { BARE_MODEL, LONELY_MODEL, SMALL_CONTEXT, SMALL_MODEL, SMALL_OUTPUT } from './world.ts';

const UPSTREAM = {
  status: 502,
  type: 'upstream_unavailable_error',
  code: null,
  param: null,
} as const;

const failures: Case[] = [
  ...[500, 502, 404, 418].map((status): Case => ({
    title: `a runtime that answers ${status} is a 502, streamed or not`,
    proves: ['I102', 'D52'],
    run: async (world) => {
      await expectError(await world.complete(sim({ status })), UPSTREAM);
      await expectError(await world.complete({ ...sim({ status }), stream: true }), UPSTREAM);
    },
  })),
  ...[400, 413, 422].map((status): Case => ({
    title: `a request that the runtime answers with ${status} is the client's 400, streamed or not`,
    proves: ['D38', 'I91'],
    run: async (world) => {
      const refused = { status: 400, type: 'invalid_request_error', code: 'invalid_value' };
      const order = sim({ status });
      await expectError(await world.complete(order), { ...refused, param: 'messages' });
      const tools = [{ type: 'function', function: { name: 'look_up' } }];
      await expectError(await world.complete({ ...order, tools, stream: true }), {
        ...refused,
        param: 'tools',
      });
      const format = { type: 'json_schema', json_schema: { name: 'a', schema: {} } };
      await expectError(await world.complete({ ...order, tools, response_format: format }), {
        ...refused,
        param: 'response_format',
      });
    },
  })),
  ...[401, 403].map((status): Case => ({
    title: `a runtime that answers ${status} has rejected the platform, not the caller`,
    proves: ['I103'],
    run: async (world) => {
      await expectError(await world.complete(sim({ status })), {
        ...UPSTREAM,
        code: 'upstream_credentials_rejected',
      });
    },
  })),
  ...(
    [
      ['fails', { fail_after: 3 }],
      ['cuts its stream', { cut_after: 3 }],
      ['sends nonsense', { malformed_after: 3 }],
    ] as const
  ).map(([title, steering]): Case => ({
    title: `a runtime that ${title} mid-stream is an error event and a cut connection`,
    proves: ['I72', 'I73', 'D53', 'D51'],
    run: async (world) => {
      await using client = await world.raw();
      const body = JSON.stringify({
        model: 'sluice-small',
        stream: true,
        ...sim({ tokens: 9, itl_ms: 5, ...steering }),
      });
      const length = `content-length: ${Buffer.byteLength(body)}`;
      client.send(completionHead(world.stack.apiKey, length), body);
      const text = await client.waitForClose();
      expect(text).toContain('HTTP/1.1 200 OK');
      const event = /data: (\{"error":.*\})\n\n/.exec(text)?.[1] ?? '{}';
      expect(JSON.parse(event)).toMatchObject({
        error: { type: 'upstream_unavailable_error', param: null, code: null },
      });
      expect(event).not.toContain('obfuscation');
      expect(text).not.toContain('[DONE]');
      expect(text).not.toContain('\r\n0\r\n\r\n');
    },
  })),
  {
    title: 'a runtime that fails before its first token is a plain 502, streamed or not',
    proves: ['D52', 'I102'],
    run: async (world) => {
      await expectError(
        await world.complete({ ...sim({ fail_after: 0 }), stream: true }),
        UPSTREAM,
      );
      await expectError(await world.complete(sim({ fail_after: 0 })), UPSTREAM);
    },
  },
  {
    title: 'a runtime that fails later is a 502 for a reply that is not streamed',
    proves: ['I102'],
    run: async (world) => {
      await expectError(await world.complete(sim({ fail_after: 3 })), UPSTREAM);
    },
  },
  {
    title: 'a model without a worker is a 503 that says when to retry',
    proves: ['D58', 'D59'],
    run: async (world) => {
      const reply = await world.complete({ model: LONELY_MODEL });
      await expectError(reply, {
        status: 503,
        type: 'api_error',
        code: 'infrastructure_rate_limit_exceeded',
        param: null,
      });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(reply.headers.get('retry-after-ms'))).toBeGreaterThan(0);
    },
  },
];

const long = (words: number) => ({ messages: [{ role: 'user', content: 'word '.repeat(words) }] });
const EXCEEDED = { code: 'context_length_exceeded', param: 'messages' } as const;

const context: Case[] = [
  refuses(
    'output that alone fills the context',
    ['D45', 'I85'],
    { model: SMALL_MODEL, max_tokens: SMALL_CONTEXT },
    EXCEEDED,
  ),
  refuses(
    'output beyond the context',
    ['D45', 'I85'],
    { model: SMALL_MODEL, max_completion_tokens: SMALL_CONTEXT + 1 },
    EXCEEDED,
  ),
  refuses(
    'output beyond every context',
    ['D45', 'I85', 'D16'],
    { model: SMALL_MODEL, max_tokens: 1e17 },
    EXCEEDED,
  ),
  refuses(
    'output beyond every context of a runtime, for a model that announces none',
    ['D47', 'I85', 'D16'],
    { model: BARE_MODEL, max_tokens: 1e17 },
    EXCEEDED,
  ),
  refuses(
    'output beyond the model, by max_tokens',
    ['D46'],
    { model: SMALL_MODEL, max_tokens: SMALL_OUTPUT + 1 },
    { param: 'max_tokens' },
  ),
  refuses(
    'output beyond the model, by max_completion_tokens',
    ['D46'],
    { model: SMALL_MODEL, max_completion_tokens: SMALL_OUTPUT + 1 },
    { param: 'max_completion_tokens' },
  ),
  refuses(
    'a prompt beyond the context',
    ['I85', 'I104', 'D47'],
    { model: SMALL_MODEL, ...long(4_000) },
    EXCEEDED,
  ),
  refuses(
    'a prompt beyond the context, streamed, before any stream',
    ['I104', 'D47'],
    { model: SMALL_MODEL, stream: true, ...long(4_000) },
    EXCEEDED,
  ),
  refuses(
    'prompt plus requested output beyond the context',
    ['I85', 'D47'],
    { model: SMALL_MODEL, max_tokens: SMALL_OUTPUT, ...long(1_500) },
    EXCEEDED,
  ),
  {
    title: 'a prompt that leaves less than the default output is served all the same',
    proves: ['D48'],
    run: async (world) => {
      const messages = [{ role: 'user', content: `${'word '.repeat(1_300)}\n@sim {"tokens": 2}` }];
      const reply = await world.complete({ model: SMALL_MODEL, messages });
      expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status: 200 });
    },
  },
  {
    title: 'the default of the model bounds an answer',
    proves: ['D48'],
    run: async (world) => {
      const { choices, usage } = await whole(world, {
        model: SMALL_MODEL,
        ...sim({ tokens: 900 }),
      });
      expect([choices[0]?.finish_reason, usage.completion_tokens]).toEqual(['length', 500]);
    },
  },
  {
    title: 'a model that announces nothing accepts what its runtime does',
    proves: ['D48'],
    run: async (world) => {
      const { choices } = await whole(world, {
        model: BARE_MODEL,
        max_tokens: 3,
        ...sim({ tokens: 9 }),
      });
      expect(choices[0]?.finish_reason).toBe('length');
    },
  },
];

export const failureCases: CaseGroup[] = [
  { section: 'failures of runtimes', cases: failures },
  { section: 'context and output', cases: context },
];
