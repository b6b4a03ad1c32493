import { useLeakCheck, useNats } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { useBench, type Bench } from './bench-worker.ts';

useLeakCheck();
const bench = useBench(useNats());

const send: Bench['gateway']['send'] = (...job) => bench.gateway.send(...job);

describe('promises to the client', () => {
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

  it.each([true, false])('content matches its schema (stream: %s)', async (stream) => {
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
        expect(attempt.body('failed')).toEqual({ reason: 'invalid_output', retryable: true });
      }
    },
  );

  it.each([true, false])(
    'json_schema without a schema still promises JSON (stream: %s)',
    async (stream) => {
      const answerTo = async (responseFormat: object, text: string) => {
        const body = { response_format: responseFormat };
        return send(bench.worker.id, { header: { stream }, body, sim: { text } }).untilOver();
      };
      const nameless = { type: 'json_schema', json_schema: { name: 'anything' } };
      const plain = await answerTo(nameless, 'Ann is seven.');
      expect(plain.body('failed')).toEqual({ reason: 'invalid_output', retryable: true });
      const json = await answerTo(nameless, '["Ann", 7]');
      expect(json.body('finished')).toMatchObject({ finish_reason: 'stop' });
    },
  );

  it('content that was cut off by the length limit is not checked', async () => {
    const sim = { text: '{"name": "Ann", "age": 7}', finish_reason: 'length' };
    const attempt = await send(bench.worker.id, { body: promise, sim }).untilOver();
    expect(attempt.body('finished')).toMatchObject({ finish_reason: 'length' });
  });

  it.each([true, false])(
    'arguments that are not JSON are a failure (stream: %s)',
    async (stream) => {
      const sim = { tool: 'f', arguments: '{"city": "K' };
      const attempt = await send(bench.worker.id, {
        header: { stream },
        body: tools,
        sim,
      }).untilOver();
      expect(attempt.body('failed')).toEqual({ reason: 'invalid_output', retryable: true });
    },
  );

  it.each([true, false])(
    'a call of the named function ends with tool_calls, even if the runtime sends stop (stream: %s)',
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

describe.each([true, false])(
  'a runtime that breaks a promise fails the attempt (stream: %s)',
  (stream) => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    };
    const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name, parameters } }));
    const named = { type: 'function', function: { name: 'g' } };
    const strictTools = [{ type: 'function', function: { name: 'f', parameters, strict: true } }];
    type Fields = Record<string, unknown>;
    const outcomeOf = async (body: Fields, sim: Fields) =>
      send(bench.worker.id, { header: { stream }, body, sim }).untilOver();
    const broken = { reason: 'invalid_output', retryable: true };

    it('json_object, by text, a list or an incomplete object', async () => {
      const body = { response_format: { type: 'json_object' } };
      const steering = [{ breaks: 'response_format' }, { text: '["Ann", 7]' }, { text: '{"a": 1' }];
      for (const sim of steering) {
        expect((await outcomeOf(body, sim)).body('failed')).toEqual(broken);
      }
      const kept = await outcomeOf(body, {});
      expect(kept.body('finished')).toMatchObject({ finish_reason: 'stop' });
      const cut = await outcomeOf(body, { text: '{"a": 1', finish_reason: 'length' });
      expect(cut.body('finished')).toMatchObject({ finish_reason: 'length' });
    });

    it.each([
      ['a required call, by text', { tools, tool_choice: 'required' }, {}],
      ['a named function, by text', { tools, tool_choice: named }, {}],
      [
        'a named function, by a call of another function',
        { tools, tool_choice: named },
        { tool: 'f' },
      ],
      ['no call, by a call', { tools, tool_choice: 'none' }, {}],
    ])('%s, and sends no delta', async (_, body, more) => {
      const attempt = await outcomeOf(body, { breaks: 'tool_choice', ...more });
      expect(attempt.body('failed')).toEqual(broken);
      expect(attempt.deltas()).toEqual([]);
    });

    it('one call at a time, by a second call, which is not sent', async () => {
      const body = { tools, tool_choice: 'required', parallel_tool_calls: false };
      for (const tool of ['f', ['f', 'g']]) {
        const attempt = await outcomeOf(body, { breaks: 'parallel_tool_calls', tool });
        expect(attempt.body('failed')).toEqual(broken);
        expect(JSON.stringify(attempt.deltas())).not.toMatch(/"index":1|"name":"g"/);
      }
      const kept = await outcomeOf(body, { tool: 'f' });
      expect(kept.body('finished')).toMatchObject({ finish_reason: 'tool_calls' });
    });

    it('the parameters of a strict function, by other arguments', async () => {
      const attempt = await outcomeOf({ tools: strictTools }, { tool: 'f', breaks: 'arguments' });
      expect(attempt.body('failed')).toEqual(broken);
      const kept = await outcomeOf({ tools: strictTools }, { tool: 'f' });
      expect(kept.body('finished')).toMatchObject({ finish_reason: 'tool_calls' });
      const cut = await outcomeOf(
        { tools: strictTools },
        { tool: 'f', arguments: '{"city', finish_reason: 'length' },
      );
      expect(cut.body('finished')).toMatchObject({ finish_reason: 'length' });
      const unpromised = await outcomeOf({ tools }, { tool: 'f', breaks: 'arguments' });
      expect(unpromised.body('finished')).toMatchObject({ finish_reason: 'tool_calls' });
    });
  },
);

describe('reasoning after content', () => {
  const sim = { breaks: 'reasoning_first', reasoning: 3, tokens: 2 };

  it('fails a stream, and is not sent', async () => {
    const attempt = await send(bench.worker.id, { header: { stream: true }, sim }).untilOver();
    expect(attempt.body('failed')).toEqual({ reason: 'invalid_output', retryable: true });
    expect(attempt.text('content')).not.toBe('');
    expect(attempt.text('reasoning_content')).toBe('');
  });

  it('is allowed in a reply that does not stream', async () => {
    const attempt = await send(bench.worker.id, { header: { stream: false }, sim }).untilOver();
    expect(attempt.body('finished')).toMatchObject({ finish_reason: 'stop' });
    expect(attempt.text('reasoning_content')).not.toBe('');
    expect(attempt.text('content')).not.toBe('');
  });
});
