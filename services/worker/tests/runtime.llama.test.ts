import { cannotRun, useNats, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorkerSettings } from '../src/config.ts';
import { start, type RunningWorker } from '../src/start.ts';
import { GatewayDouble, silentLogger, type JobOptions } from './gateway-double.ts';
import {
  LLAMA_MODEL as MODEL,
  missingLlamaServer,
  startLlamaServer,
  type LlamaServer,
} from './llama-server.ts';

/** So large that no generation ends before it is cancelled. */
const CONTEXT = 16_384;
const ANNOUNCED_CONTEXT = 512;
const nats = useNats();
let server: LlamaServer;
let worker: RunningWorker;
let gateway: GatewayDouble;

async function slotsAtWork(): Promise<number> {
  const answer = await fetch(`${server.url}/slots`);
  const slots = (await answer.json()) as { is_processing: boolean }[];
  return slots.filter(({ is_processing: working }) => working).length;
}

const send = ({ header, ...job }: JobOptions = {}) =>
  gateway.send(worker.id, { header: { model: MODEL, runtime_model: MODEL, ...header }, ...job });

describe.skipIf(cannotRun('a real llama.cpp server', missingLlamaServer))(
  'on a real llama.cpp server',
  () => {
    beforeAll(async () => {
      server = await startLlamaServer({ context: CONTEXT });
      gateway = await GatewayDouble.connect(nats.url, nats.namespace);
      worker = await start(
        readWorkerSettings({
          NATS_URL: nats.url,
          SUBJECT_PREFIX: nats.namespace,
          RUNTIME_URL: server.url,
        }),
        silentLogger,
      );
      await gateway.workerServing(MODEL);
    });

    afterAll(async () => {
      await worker[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });

    it('is detected, with its slots', () => {
      expect(worker.readiness()).toMatchObject({
        ready: true,
        details: { runtime: 'llama.cpp', models: [MODEL], load: { slots: 2 } },
      });
    });

    it('reports its load', async () => {
      const load = await waitUntil(() => gateway.newest(worker.id)?.runtime_load, {
        what: 'the load of the runtime',
      });
      expect(load).toEqual({ running: 0, waiting: 0, cache_use: null });
    });

    it('streams', async () => {
      const attempt = await send({
        header: { max_output_tokens: 40, output_bound_requested: true },
      }).untilOver();
      expect(attempt.kinds().slice(0, 2)).toEqual(['accepted', 'started']);
      expect(attempt.body('finished')).toMatchObject({ finish_reason: 'length' });
      expect(attempt.deltas().length).toBeGreaterThan(10);
      expect(attempt.body('usage')).toMatchObject({
        completion_tokens: 40,
        prompt_tokens_details: { cached_tokens: 0 },
      });
    });

    it('gives the same whole answer to the same seed', async () => {
      const ask = async () => {
        const attempt = await send({
          header: { stream: false, max_output_tokens: 30, output_bound_requested: true },
          body: { seed: 7, temperature: 0 },
        }).untilOver();
        return attempt.body('delta');
      };
      const answer = await ask();
      expect(answer).toMatchObject({ role: 'assistant', refusal: null });
      expect(await ask()).toEqual(answer);
    });

    it('follows a schema', async () => {
      const schema = {
        type: 'object',
        properties: { rainy: { type: 'boolean' } },
        required: ['rainy'],
        additionalProperties: false,
      };
      const attempt = await send({
        header: { max_output_tokens: 300, output_bound_requested: true },
        body: {
          response_format: { type: 'json_schema', json_schema: { name: 'weather', schema } },
        },
      }).untilOver();
      expect(attempt.body('finished')).toMatchObject({ finish_reason: 'stop' });
      expect(JSON.parse(attempt.text('content'))).toEqual({
        rainy: expect.any(Boolean) as unknown,
      });
    });

    it('survives rounded bounds of 64 bits in a schema', async () => {
      const id = { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 };
      const rows = { type: 'array', items: { type: 'null' }, minItems: 1, maxItems: 2 ** 53 };
      const schema = { type: 'object', properties: { id, rows }, required: ['id'] };
      const attempt = await send({
        header: { max_output_tokens: 300, output_bound_requested: true },
        body: {
          response_format: { type: 'json_schema', json_schema: { name: 'row', schema } },
        },
      }).untilOver();
      expect(attempt.body('finished')).toMatchObject({ finish_reason: 'stop' });
      expect(JSON.parse(attempt.text('content'))).toMatchObject({
        id: expect.any(Number) as unknown,
      });
    });

    it('survives an earlier call with deeply nested arguments', async () => {
      const text = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: text } };
      const attempt = await send({
        header: { max_output_tokens: 5, output_bound_requested: true },
        body: {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: null, tool_calls: [call] },
            { role: 'tool', tool_call_id: 'c', content: 'ok' },
          ],
          tools: [{ type: 'function', function: { name: 'f' } }],
        },
      }).untilOver();
      expect(attempt.kinds().at(-1)).toBe('finished');
    });

    it('refuses a prompt that is too long', async () => {
      const body = { messages: [{ role: 'user', content: 'x'.repeat(2 * CONTEXT) }] };
      const attempt = await send({ body }).untilOver();
      expect(attempt.body('failed')).toEqual({
        reason: 'context_length_exceeded',
        retryable: false,
      });
    });

    it('counts a prompt, so that a requested output that does not fit is refused', async () => {
      const header = { context_length: ANNOUNCED_CONTEXT, max_output_tokens: 400 };
      const body = { messages: [{ role: 'user', content: 'x'.repeat(200) }] };
      const asked = await send({
        header: { ...header, output_bound_requested: true },
        body,
      }).untilOver();
      expect(asked.body('failed')).toEqual({ reason: 'context_length_exceeded', retryable: false });
      const unasked = await send({ header, body }).untilOver();
      expect(unasked.kinds().at(-1)).toBe('finished');
      const { total_tokens: total } = unasked.body('usage') as { total_tokens: number };
      expect(total).toBeLessThanOrEqual(ANNOUNCED_CONTEXT);
    });

    it('stops when it is cancelled', async () => {
      const attempts = [send(), send({ header: { stream: false } })];
      await waitUntil(async () => (await slotsAtWork()) === 2, { what: 'both to be at work' });
      await waitUntil(() => gateway.newest(worker.id)?.runtime_load?.running === 2, {
        what: 'the runtime to tell of both',
        timeoutMs: 20_000,
      });
      await Promise.all(attempts.map(({ name }) => gateway.cancel(worker.id, name)));
      // Without a cancel they would run for a minute.
      await waitUntil(async () => (await slotsAtWork()) === 0, {
        what: 'the slots to be free',
        timeoutMs: 10_000,
      });
      expect(attempts.map((attempt) => attempt.kinds().includes('finished'))).toEqual([
        false,
        false,
      ]);
      expect(worker.holdings()).toMatchObject({ attempts: 0, running: 0 });
    });
  },
);
