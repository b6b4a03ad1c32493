import { ContextOverflowError } from '@langchain/core/errors';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { stack } from './client-stack.ts';

function open(model: string, maxRetries = 0): ChatOpenAI {
  const { apiRoot, apiKey } = stack();
  return new ChatOpenAI({ model, apiKey, maxRetries, configuration: { baseURL: apiRoot } });
}

const weather = tool(() => 'Rain.', {
  name: 'get_weather',
  description: 'The weather at a place.',
  schema: z.object({ city: z.string() }),
});

describe('@langchain/openai', () => {
  test('invokes a model and shows its reasoning', async () => {
    const reply = await open('sluice-demo').invoke(
      'Hello\n@sim {"text": "Hello to you.", "reasoning": 3}',
    );
    expect(reply.text).toBe('Hello to you.');
    expect(reply.additional_kwargs['reasoning_content']).toEqual(expect.any(String));
    expect(reply.response_metadata['tokenUsage']).toHaveProperty('totalTokens');
  });

  test('streams', async () => {
    const pieces: string[] = [];
    const stream = await open('sluice-demo').stream(
      'Hello\n@sim {"text": "Hello to you, in pieces."}',
    );
    for await (const chunk of stream) pieces.push(chunk.text);
    expect(pieces.join('')).toBe('Hello to you, in pieces.');
    expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(1);
  });

  test('makes a round trip of two turns with a tool', async () => {
    const model = open('sluice-demo').bindTools([weather]);
    const question = new HumanMessage('What is the weather?\n@sim {"tool": "get_weather"}');
    const first = await model.invoke([question]);
    expect(first.tool_calls).toHaveLength(1);
    const [call] = first.tool_calls ?? [];
    const answer = new ToolMessage({
      content: 'Rain.',
      tool_call_id: call?.id ?? '',
      name: 'get_weather',
    });
    const second = await model.invoke([question, first, answer]);
    expect(AIMessage.isInstance(second)).toBe(true);
    expect([second.tool_calls?.length ?? 0, second.text.length > 0]).toEqual([0, true]);
  });

  test('gives structured output', async () => {
    const Person = z.object({ name: z.string(), age: z.int() });
    const model = open('sluice-small').withStructuredOutput(Person, {
      name: 'person',
      method: 'jsonSchema',
    });
    expect(Person.parse(await model.invoke('Who is it?'))).toBeDefined();
  });

  test('surfaces errors with their status', async () => {
    await expect(open('nobody').invoke('x')).rejects.toMatchObject({ status: 404 });
    const { apiRoot } = stack();
    const unauthorized = new ChatOpenAI({
      model: 'sluice-small',
      apiKey: 'sk-wrong',
      maxRetries: 0,
      configuration: { baseURL: apiRoot },
    });
    await expect(unauthorized.invoke('x')).rejects.toMatchObject({ status: 401 });
  });

  test('knows a conversation that is too long for the model', async () => {
    const call = open('sluice-small').invoke('word '.repeat(270_000));
    await expect(call).rejects.toThrow(ContextOverflowError);
  });

  test('an error mid-stream throws', async () => {
    const stream = await open('sluice-small').stream('x\n@sim {"tokens": 50, "fail_after": 5}');
    const read = async () => {
      for await (const _chunk of stream) continue;
    };
    await expect(read()).rejects.toThrow('The inference backend failed');
  });
});
