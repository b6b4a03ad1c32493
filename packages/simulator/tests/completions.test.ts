import { request as httpRequest } from 'node:http';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, simulatedAnswer, startSimulator, tokenize } from '../src/index.ts';
import { askStreamed, askWhole, type Fields, gather, post, question } from './ask.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
});

const tools = ['get_weather', 'clock', 'list_boats'].map((name, index) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: {
        place: { type: 'string' },
        count: { type: 'integer', minimum: index },
        kinds: { type: 'array', items: { enum: ['lock', 'weir'] } },
      },
      required: ['place'],
    },
  },
}));

const anySteering = fc.record(
  {
    tokens: fc.nat(40),
    reasoning: fc.nat(20),
    tool: fc.subarray(['get_weather', 'clock', 'list_boats'], { minLength: 1 }),
    text: fc.string({ unit: 'binary', maxLength: 60, size: 'max' }),
    finish_reason: fc.constantFrom('stop', 'content_filter'),
    cached: fc.nat(50),
    split: fc.integer({ min: 1, max: 200 }),
    crlf: fc.boolean(),
    comments: fc.boolean(),
  },
  { requiredKeys: [] },
);

const anyRequest = fc.record(
  {
    model: fc.constantFrom('sluice-demo', 'sluice-small', 'sluice-strict'),
    tools: fc.constant(tools),
    seed: fc.integer(),
    max_tokens: fc.integer({ min: 1, max: 60 }),
    reasoning_effort: fc.constantFrom('none', 'low', 'high'),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
  },
  { requiredKeys: ['model', 'tools'] },
);

test('the pieces of a stream, split anywhere, add up to the reply in one piece and to simulatedAnswer', async () => {
  const words = fc
    .string({ unit: 'grapheme', maxLength: 40, size: 'max' })
    .filter((text) => !text.includes('@'));
  const choice = fc.constantFrom('auto', 'none', 'required');
  await fc.assert(
    fc.asyncProperty(
      words,
      anySteering,
      anyRequest,
      choice,
      async (text, steering, more, picked) => {
        const body = question(text, steering, { ...more, tool_choice: picked });
        const expected = simulatedAnswer(body);
        const whole = await askWhole(simulator, body);
        const streamed = await askStreamed(simulator, body);
        const [{ message, finish_reason: finishReason }] = whole.choices;

        expect(streamed.reasoning).toBe(expected.reasoning ?? '');
        expect(message.reasoning_content).toBe(expected.reasoning);
        expect(streamed.content).toBe(expected.content ?? '');
        expect(message.content ?? '').toBe(expected.content ?? '');
        expect(streamed.calls).toEqual(expected.toolCalls);
        expect(message.tool_calls.map((call) => call.function)).toEqual(expected.toolCalls);
        expect(streamed.finishReasons).toEqual([expected.finishReason]);
        expect(finishReason).toBe(expected.finishReason);
        expect(streamed.usage).toMatchObject({
          prompt_tokens: expected.promptTokens,
          completion_tokens: expected.completionTokens,
          total_tokens: expected.promptTokens + expected.completionTokens,
        });
        expect(whole.usage).toMatchObject({ completion_tokens: expected.completionTokens });
        expect(streamed.done).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

describe('the shape of a stream', () => {
  test('is vLLM’s: role, reasoning, content, finish, usage, end', async () => {
    const streamed = await askStreamed(simulator, question('hi', { tokens: 2, reasoning: 1 }));
    const [role, reasoning, first, second, finish, usage] = streamed.chunks;
    expect(role).toEqual({
      id: expect.stringMatching(/^chatcmpl-[\da-f]{32}$/) as string,
      object: 'chat.completion.chunk',
      created: expect.any(Number) as number,
      model: 'sluice-demo',
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content: '' },
          logprobs: null,
          finish_reason: null,
          token_ids: null,
        },
      ],
    });
    const { reasoning: thought, content } = simulatedAnswer(
      question('hi', { tokens: 2, reasoning: 1 }),
    );
    const [one, two] = tokenize(content ?? '');
    expect(reasoning?.choices[0]?.delta).toEqual({ reasoning_content: thought });
    expect(first?.choices[0]?.delta).toEqual({ content: one });
    expect(second?.choices[0]?.delta).toEqual({ content: two });
    expect(finish?.choices[0]).toMatchObject({
      delta: { content: '' },
      finish_reason: 'stop',
      stop_reason: null,
    });
    expect(usage).toMatchObject({
      choices: [],
      usage: { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 1 } },
    });
    expect(streamed.chunks).toHaveLength(6);
    expect(new Set(streamed.chunks.map(({ id }) => id)).size).toBe(1);
  });

  test('has the finish reason length in the chunk of the last token', async () => {
    const { chunks } = await askStreamed(
      simulator,
      question('hi', { tokens: 9, reasoning: 0 }, { max_tokens: 2 }),
    );
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
      null,
      null,
      'length',
      undefined,
    ]);
    expect(chunks[2]?.choices[0]?.delta.content).not.toBe('');
  });

  test('a tool call begins with its name, followed by pieces of its arguments', async () => {
    const body = question('hi', { tool: ['clock', 'get_weather'], reasoning: 0 }, { tools });
    const { chunks } = await askStreamed(simulator, body);
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls[0]).toEqual({
      id: expect.stringMatching(/^chatcmpl-tool-[\da-f]{32}$/) as string,
      type: 'function',
      index: 0,
      function: { name: 'clock' },
    });
    expect(calls[1]).toEqual({ index: 0, function: { arguments: expect.any(String) as string } });
    expect(calls.filter((call) => call.id !== undefined).map((call) => call.index)).toEqual([0, 1]);
    expect(calls.length).toBeGreaterThan(6);
    const forced = await askStreamed(simulator, { ...body, tool_choice: 'required' });
    const [start] = forced.chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(start?.function).toEqual({ name: 'clock', arguments: '' });
  });

  test('has usage only if the request asks for it and the @sim line does not prevent it', async () => {
    const without = await askStreamed(simulator, question('hi', {}, { stream_options: null }));
    expect(without.usage).toBeUndefined();
    expect(without.chunks.every(({ usage }) => usage === undefined)).toBe(true);
    expect((await askStreamed(simulator, question('hi', { usage: false }))).usage).toBeUndefined();
    expect((await askWhole(simulator, question('hi', { usage: false }))).usage).toBeUndefined();
  });

  test('has no count of reasoning tokens for a model without reasoning', async () => {
    const { usage } = await askStreamed(simulator, question('hi', {}, { model: 'sluice-small' }));
    expect(usage).not.toHaveProperty('completion_tokens_details');
  });

  test('the request’s own id is used', async () => {
    const response = await post(simulator, question('hi'), { headers: { 'x-request-id': 'a"b' } });
    expect(await response.json()).toMatchObject({ id: 'chatcmpl-a"b' });
  });
});

test.each(['reasoning', 'both'] as const)('the field of the reasoning can be %s', async (field) => {
  await using other = await startSimulator({ reasoningField: field });
  const body = question('hi', { reasoning: 3, tokens: 1 });
  const { reasoning } = simulatedAnswer(body);
  const [{ message }] = (await askWhole(other, body)).choices;
  expect(message.reasoning).toBe(reasoning);
  expect(message.reasoning_content).toBe(field === 'both' ? reasoning : undefined);
  const { chunks } = await askStreamed(other, body);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(deltas.map((delta) => delta.reasoning ?? '').join('')).toBe(reasoning);
  expect(deltas.some((delta) => 'reasoning_content' in delta)).toBe(field === 'both');
});

describe('pieces of the body', () => {
  async function pieces(body: Fields): Promise<Buffer[]> {
    const payload = JSON.stringify({ ...body, stream: true });
    const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
    const outgoing = httpRequest(
      `${simulator.url}/v1/chat/completions`,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        const received: Buffer[] = [];
        response.on('data', (piece: Buffer) => received.push(piece));
        response.on('end', () => resolve(received));
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
    return promise;
  }

  test('can be so small that characters and lines are cut', async () => {
    const body = question('hi', { text: 'é水🌊', reasoning: 0, split: 2 });
    const received = await pieces(body);
    expect(received.every(({ length }) => length <= 2)).toBe(true);
    const isCutCharacter = (piece: Buffer) => ((piece[0] ?? 0) & 0xc0) === 0x80;
    expect(received.some(isCutCharacter)).toBe(true);
    expect(gather(Buffer.concat(received).toString()).content).toBe('é水🌊');
  });

  test('can have other line ends and comments between', async () => {
    const text = Buffer.concat(
      await pieces(question('hi', { crlf: true, comments: true, tokens: 2 })),
    ).toString();
    expect(text).toContain(': still here\r\n\r\n');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('the end can be missing', async () => {
    const streamed = gather(
      Buffer.concat(await pieces(question('hi', { done: false }))).toString(),
    );
    expect(streamed).toMatchObject({ done: false, finishReasons: ['stop'] });
  });
});

test('replies fit their schema, streamed or not', async () => {
  const schema = {
    type: 'object',
    properties: { mood: { enum: ['calm'] }, depth: { type: 'integer', minimum: 1, maximum: 1 } },
    required: ['mood', 'depth'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', json_schema: { name: 'state', schema, strict: true } };
  const body = question('hi', {}, { response_format: format });
  expect(JSON.parse((await askStreamed(simulator, body)).content)).toEqual({
    mood: 'calm',
    depth: 1,
  });
  const [{ message }] = (await askWhole(simulator, body)).choices;
  expect(JSON.parse(message.content ?? '')).toEqual({ mood: 'calm', depth: 1 });
});
