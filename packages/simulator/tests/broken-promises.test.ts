import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, simulatedAnswer, startSimulator } from '../src/index.ts';
import { askStreamed, askWhole, type Fields, question } from './ask.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
});

const tools = ['get_weather', 'clock'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { place: { type: 'string' } } } },
}));
const named = { type: 'function', function: { name: 'clock' } };

/** The visible parts of a reply, in the same form for a stream and a whole reply. */
async function replyTo(steering: Fields, more: Fields, stream: boolean) {
  const body = question('x', { tokens: 5, reasoning: 3, ...steering }, more);
  if (stream) {
    const { content, calls, chunks } = await askStreamed(simulator, { ...body, stream: true });
    return { content, calls, chunks };
  }
  const [{ message }] = (await askWhole(simulator, body)).choices;
  const calls = message.tool_calls.map(({ function: called }) => called);
  return { content: message.content ?? '', calls, chunks: [] };
}

describe.each([true, false])(
  'a promise is broken if the @sim line asks for it (stream: %s)',
  (stream) => {
    test('by text instead of JSON', async () => {
      const formats = ['json_object', 'json_schema'].map((type) => ({
        response_format: { type, json_schema: { name: 'any', schema: { type: 'object' } } },
      }));
      for (const more of formats) {
        const { content } = await replyTo({ breaks: 'response_format' }, more, stream);
        expect(() => void JSON.parse(content)).toThrow(SyntaxError);
        const obedient = await replyTo({}, more, stream);
        expect(JSON.parse(obedient.content)).toBeTypeOf('object');
      }
    });

    test.each([
      ['a call that was not wanted', 'none', {}, ['get_weather']],
      ['an ordered call that was not wanted', 'none', { tool: 'clock' }, ['clock']],
      ['words where a call was required', 'required', {}, []],
      ['words where a tool was named', named, {}, []],
      ['a call of another tool', named, { tool: 'get_weather' }, ['get_weather']],
    ])('by %s', async (_, tool_choice, steering, called) => {
      const more = { tools, tool_choice };
      const { calls } = await replyTo({ breaks: 'tool_choice', ...steering }, more, stream);
      expect(calls.map(({ name }) => name)).toEqual(called);
    });

    test('by a second call, of the same tool or of another', async () => {
      const more = { tools, tool_choice: 'required', parallel_tool_calls: false };
      const calledBy = async (steering: Fields) => {
        const { calls } = await replyTo(
          { breaks: 'parallel_tool_calls', ...steering },
          more,
          stream,
        );
        return calls.map(({ name }) => name);
      };
      expect(await calledBy({ tool: 'clock' })).toEqual(['clock', 'clock']);
      expect(await calledBy({ tool: ['clock', 'get_weather'] })).toEqual(['clock', 'get_weather']);
    });

    test('by arguments that are not an object', async () => {
      const more = { tools, tool_choice: named };
      const { calls } = await replyTo({ breaks: 'arguments' }, more, stream);
      expect(calls).toMatchObject([{ name: 'clock', arguments: '[]' }]);
    });

    test('as often as requested for each conversation, and not more often', async () => {
      const more = { tools, tool_choice: 'none' };
      const steering = { breaks: 'tool_choice', breaks_times: 2 };
      const callsOf = async (seed: Fields) =>
        (await replyTo({ ...steering, ...seed }, more, stream)).calls.length;
      expect([await callsOf({}), await callsOf({}), await callsOf({})]).toEqual([1, 1, 0]);
      expect(await callsOf({ itl_ms: 1 })).toBe(1);
    });
  },
);

test('a stream may have its reasoning after its content', async () => {
  const { chunks } = await replyTo({ breaks: 'reasoning_first' }, {}, true);
  const kinds = chunks
    .map(({ choices }) => Object.keys(choices[0]?.delta ?? {})[0])
    .filter((kind) => kind === 'content' || kind === 'reasoning_content');
  const changes = kinds.filter((kind, index) => kind !== kinds[index - 1]);
  // The last chunk has an empty content.
  expect(changes).toEqual(['content', 'reasoning_content', 'content']);
});

test('simulatedAnswer returns the reply that breaks the promise', () => {
  const steering = { breaks: 'tool_choice', breaks_times: 1 };
  const body = question('x', steering, { tools, tool_choice: 'none' });
  expect(simulatedAnswer(body).toolCalls).toHaveLength(1);
});
