import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  Output,
  generateText,
  isStepCount,
  streamText,
  tool,
  type LanguageModel,
} from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { stack } from './client-stack.ts';

type Provider = (model: string) => LanguageModel;

const providers: [string, () => Provider, { readonly showsReasoning: boolean }][] = [
  [
    '@ai-sdk/openai-compatible',
    () => {
      const { apiRoot, apiKey } = stack();
      const provider = createOpenAICompatible({
        name: 'sluice',
        baseURL: apiRoot,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      });
      return (model) => provider(model);
    },
    { showsReasoning: true },
  ],
  [
    '@ai-sdk/openai',
    () => {
      const { apiRoot, apiKey } = stack();
      const provider = createOpenAI({ baseURL: apiRoot, apiKey });
      return (model) => provider.chat(model);
    },
    { showsReasoning: false },
  ],
];

describe.each(providers)('%s', (_name, open, { showsReasoning }) => {
  test('generates text, and shows reasoning if the package supports it', async () => {
    const { text, finalStep, usage } = await generateText({
      model: open()('sluice-demo'),
      prompt: 'Hello\n@sim {"text": "Hello to you.", "reasoning": 4}',
    });
    expect(text).toBe('Hello to you.');
    expect(finalStep.reasoningText !== undefined).toBe(showsReasoning);
    expect(usage.totalTokens).toBeGreaterThan(0);
  });

  test('streams text', async () => {
    const { textStream, usage } = streamText({
      model: open()('sluice-demo'),
      prompt: 'Hello\n@sim {"text": "Hello to you, in many pieces."}',
    });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    expect(pieces.join('')).toBe('Hello to you, in many pieces.');
    expect(pieces.length).toBeGreaterThan(1);
    expect((await usage).outputTokens).toBeGreaterThan(0);
  });

  test('calls a tool and goes on with its result', async () => {
    const cities: string[] = [];
    const { text, steps } = await generateText({
      model: open()('sluice-demo'),
      prompt: 'What is the weather?\n@sim {"tool": "get_weather"}',
      tools: {
        get_weather: tool({
          description: 'The weather at a place.',
          inputSchema: z.object({ city: z.string() }),
          execute: ({ city }) => {
            cities.push(city);
            return 'Rain.';
          },
        }),
      },
      stopWhen: isStepCount(3),
    });
    expect([cities.length, steps.length]).toEqual([1, 2]);
    expect(text).not.toBe('');
  });

  test('gives structured output', async () => {
    const Person = z.object({ name: z.string(), age: z.int() });
    const { output } = await generateText({
      model: open()('sluice-small'),
      prompt: 'Who is it?',
      output: Output.object({ schema: Person }),
    });
    expect(Person.parse(output)).toEqual(output);
  });

  test('surfaces errors with their status and message', async () => {
    const call = generateText({
      model: open()('nobody'),
      prompt: 'x',
      maxRetries: 0,
    });
    await expect(call).rejects.toThrow(APICallError);
    await expect(call).rejects.toMatchObject({ statusCode: 404, isRetryable: false });
  });

  test('an error mid-stream reaches the caller', async () => {
    const errors: unknown[] = [];
    const { textStream } = streamText({
      model: open()('sluice-small'),
      prompt: 'x\n@sim {"tokens": 50, "fail_after": 5}',
      onError: ({ error }) => void errors.push(error),
    });
    const read = async () => {
      for await (const _piece of textStream) continue;
    };
    // The error event comes first, and then the connection breaks.
    await expect(read()).rejects.toThrow(APICallError);
    expect(String(errors[0])).toContain('The inference backend failed');
  });
});
