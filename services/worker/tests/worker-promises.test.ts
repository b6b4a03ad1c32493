import { useLeakCheck, useNats } from '@sluice/testkit';
import { describe, expect, it } from 'vitest';
import { useBench, type Bench } from './bench-worker.ts';

useLeakCheck();
const bench = useBench(useNats());

const send: Bench['gateway']['send'] = (...job) => bench.gateway.send(...job);

describe('what a client was promised', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const promise = {
    response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
  };
  const tools = {
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  };

  it.each([true, false])('a schema is kept to (stream: %s)', async (stream) => {
    const attempt = await send(bench.worker.id, { header: { stream }, body: promise }).untilOver();
    expect(attempt.body('finished')).toMatchObject({ finish_reason: 'stop' });
    expect(JSON.parse(attempt.text('content'))).toHaveProperty('age');
  });

  it.each([true, false])(
    'content that breaks its schema is a failure (stream: %s)',
    async (stream) => {
      for (const text of ['{"name": "Ann"}', 'Ann is seven.']) {
        const attempt = await send(bench.worker.id, {
          header: { stream },
          body: promise,
          sim: { text },
        }).untilOver();
        expect(attempt.body('failed')).toEqual({ reason: 'invalid_output', retryable: false });
      }
    },
  );

  it.each([true, false])(
    'a schema that was not given still promises JSON (stream: %s)',
    async (stream) => {
      const answerTo = async (responseFormat: object, text: string) => {
        const body = { response_format: responseFormat };
        return send(bench.worker.id, { header: { stream }, body, sim: { text } }).untilOver();
      };
      const nameless = { type: 'json_schema', json_schema: { name: 'anything' } };
      const plain = await answerTo(nameless, 'Ann is seven.');
      expect(plain.body('failed')).toEqual({ reason: 'invalid_output', retryable: false });
      const json = await answerTo(nameless, '["Ann", 7]');
      expect(json.body('finished')).toMatchObject({ finish_reason: 'stop' });
      const unpromised = await answerTo({ type: 'json_object' }, 'Ann is seven.');
      expect(unpromised.body('finished')).toMatchObject({ finish_reason: 'stop' });
    },
  );

  it('content that was cut for its length is not judged', async () => {
    const sim = { text: '{"name": "Ann", "age": 7}', finish_reason: 'length' };
    const attempt = await send(bench.worker.id, { body: promise, sim }).untilOver();
    expect(attempt.body('finished')).toMatchObject({ finish_reason: 'length' });
  });

  it.each([true, false])(
    'arguments that are no JSON are a failure (stream: %s)',
    async (stream) => {
      const sim = { tool: 'f', arguments: '{"city": "K' };
      const attempt = await send(bench.worker.id, {
        header: { stream },
        body: tools,
        sim,
      }).untilOver();
      expect(attempt.body('failed')).toEqual({ reason: 'invalid_output', retryable: false });
    },
  );

  it.each([true, false])(
    'a function that was named is called, though the runtime ends it with stop (stream: %s)',
    async (stream) => {
      const names = ['f', 'g'];
      const attempt = await send(bench.worker.id, {
        header: { stream },
        body: {
          tools: names.map((name) => ({ type: 'function', function: { name } })),
          tool_choice: { type: 'function', function: { name: 'g' }, other: 1 },
        },
      }).untilOver();
      expect(attempt.body('finished')).toMatchObject({ finish_reason: 'tool_calls' });
      expect(attempt.deltas().find((delta) => 'tool_calls' in delta)).toMatchObject({
        tool_calls: [{ function: { name: 'g' } }],
      });
    },
  );

  it('a call without arguments gets an empty object', async () => {
    const sim = { tool: 'f', arguments: '' };
    const attempt = await send(bench.worker.id, {
      header: { stream: false },
      body: tools,
      sim,
    }).untilOver();
    expect(attempt.body('delta')).toMatchObject({
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    });
  });
});
