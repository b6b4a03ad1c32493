import OpenAI, {
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { World } from '../conformance/world.ts';
import { stack } from './client-stack.ts';
import { FaultyProxy } from './faulty-proxy.ts';

let world: World;
let client: OpenAI;

beforeAll(async () => {
  world = await World.open(stack());
  client = clientFor(stack().apiRoot, stack().apiKey);
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function clientFor(baseURL: string, apiKey: string, maxRetries = 2): OpenAI {
  return new OpenAI({ baseURL, apiKey, maxRetries });
}

const ask = (content: string) => [{ role: 'user' as const, content }];
const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather at a place.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};

describe('the openai package', () => {
  test('creates a completion', async () => {
    const completion = await client.chat.completions.create({
      model: 'sluice-demo',
      messages: ask('Hello\n@sim {"text": "Hello to you."}'),
    });
    expect(completion.choices[0]?.message.content).toBe('Hello to you.');
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    expect(completion._request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('streams a completion with its usage', async () => {
    const stream = await client.chat.completions.create({
      model: 'sluice-demo',
      messages: ask('Hello\n@sim {"text": "Hello to you.", "reasoning": 4}'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let reasoning = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as
        | { content?: string; reasoning_content?: string }
        | undefined;
      text += delta?.content ?? '';
      reasoning += delta?.reasoning_content ?? '';
      usage = chunk.usage;
    }
    expect(text).toBe('Hello to you.');
    expect(reasoning).not.toBe('');
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(4);
  });

  test('parses structured output by a zod schema', async () => {
    const Person = z.object({ name: z.string(), age: z.int(), hobbies: z.array(z.string()) });
    const completion = await client.chat.completions.parse({
      model: 'sluice-small',
      messages: ask('Who is it?'),
      response_format: zodResponseFormat(Person, 'person'),
    });
    expect(Person.parse(completion.choices[0]?.message.parsed)).toBeDefined();
  });

  test('runs tools over two turns', async () => {
    const cities: string[] = [];
    const runner = client.chat.completions.runTools({
      model: 'sluice-demo',
      messages: ask('What is the weather?\n@sim {"tool": "get_weather"}'),
      tool_choice: 'auto',
      tools: [
        {
          type: 'function',
          function: {
            ...WEATHER.function,
            parse: (input: string) => JSON.parse(input) as { city: string },
            function: ({ city }: { city: string }) => {
              cities.push(city);
              return 'Rain.';
            },
          },
        },
      ],
    });
    const text = await runner.finalContent();
    expect(cities.length).toBeGreaterThanOrEqual(1);
    expect(text).not.toBe('');
  });

  test('aborts a stream', async () => {
    const controller = new AbortController();
    const stream = await client.chat.completions.create(
      { model: 'sluice-small', messages: ask('x\n@sim {"tokens": 5000}'), stream: true },
      { signal: controller.signal },
    );
    let chunks = 0;
    for await (const _chunk of stream) {
      chunks += 1;
      if (chunks === 3) controller.abort();
    }
    expect(chunks).toBeLessThan(5_000);
    const call = client.chat.completions.create(
      { model: 'sluice-small', messages: ask('x\n@sim {"tokens": 5000}') },
      { signal: AbortSignal.timeout(50) },
    );
    await expect(call).rejects.toThrow(APIUserAbortError);
  });

  test('lists and retrieves models, one with a slash too', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(expect.arrayContaining(['sluice-demo', 'suite/small']));
    expect((await client.models.retrieve('suite/small')).id).toBe('suite/small');
  });

  test('surfaces errors by their types', async () => {
    const call = (change: object, by = client) =>
      by.chat.completions.create({ model: 'sluice-small', messages: ask('x'), ...change });
    await expect(call({ temperature: 9 })).rejects.toThrow(BadRequestError);
    await expect(call({ temperature: 9 })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'temperature',
      type: 'invalid_request_error',
    });
    await expect(call({ model: 'nobody' })).rejects.toThrow(NotFoundError);
    await expect(call({}, clientFor(stack().apiRoot, 'sk-wrong'))).rejects.toThrow(
      AuthenticationError,
    );
  });

  test('an error mid-stream throws', async () => {
    const stream = await client.chat.completions.create({
      model: 'sluice-small',
      messages: ask('x\n@sim {"tokens": 50, "fail_after": 5}'),
      stream: true,
    });
    const read = async () => {
      for await (const _chunk of stream) continue;
    };
    await expect(read()).rejects.toThrow('The inference backend failed');
  });
});

describe('its retries', () => {
  test('wait as long as the 429 of a minute limit asks for', async () => {
    const { key } = await world.tenant({ plan: { limits: limitsOf({ requests_per_minute: 60 }) } });
    const limited = clientFor(stack().apiRoot, key, 3);
    const calls = Array.from({ length: 61 }, async () => limited.models.retrieve('sluice-small'));
    const models = await Promise.all(calls);
    expect(models).toHaveLength(61);
  });

  test('end at once at the 429 of a day limit', async () => {
    const { key } = await world.tenant({ plan: { limits: limitsOf({ requests_per_day: 1 }) } });
    const limited = clientFor(stack().apiRoot, key, 5);
    await limited.models.retrieve('sluice-small');
    const startedAt = performance.now();
    await expect(limited.models.retrieve('sluice-small')).rejects.toThrow(RateLimitError);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test('succeed after a 503', async () => {
    await using proxy = await FaultyProxy.start(stack().baseUrl, { failures: 2 });
    const patient = clientFor(`${proxy.url}/compat/v1`, stack().apiKey, 3);
    const completion = await patient.chat.completions.create({
      model: 'sluice-small',
      messages: ask('x\n@sim {"text": "there"}'),
    });
    expect(completion.choices[0]?.message.content).toBe('there');
    expect(proxy.failed).toBe(2);
  });
});

function limitsOf(limits: object) {
  return {
    requests_per_minute: null,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
    ...limits,
  };
}
