import { ChatCompletionChunk } from '@sluice/contracts';
import { expect } from 'vitest';
import { chunksOf, contentOf, eventsOf } from '../event-stream-reader.ts';
import type { Case, CaseGroup } from './case.ts';
import { whole } from './expectations.ts';
import { sim } from './messages.ts';
import { REASONING_MODEL, type JsonBody, type World } from './world.ts';

async function streamed(world: World, change: JsonBody): Promise<string> {
  const reply = await world.complete({ stream: true, ...change });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
  return reply.text();
}

function parsed(text: string): ChatCompletionChunk[] {
  return chunksOf(text).map((chunk) => ChatCompletionChunk.parse(chunk));
}

const wholeReplies: Case[] = [
  {
    title: 'a completion has the shape of the interface',
    proves: ['I1', 'I2', 'I46', 'I47', 'I48', 'I49', 'D49', 'D50'],
    run: async (world) => {
      const before = Math.floor(Date.now() / 1_000);
      const completion = await whole(world, sim({ tokens: 5 }));
      expect(completion.id).toMatch(/^chatcmpl-[0-9A-Za-z]{24,}$/);
      expect(completion.created).toBeGreaterThanOrEqual(before - 1);
      expect(completion.model).toBe('sluice-small');
      expect(completion.choices[0]).toMatchObject({
        index: 0,
        logprobs: null,
        finish_reason: 'stop',
        message: { role: 'assistant', refusal: null },
      });
      expect(completion.usage.completion_tokens).toBe(5);
      expect(completion.usage.total_tokens).toBe(completion.usage.prompt_tokens + 5);
    },
  },
  {
    title: 'reasoning is separate from the answer',
    proves: ['I5', 'I48', 'I49'],
    run: async (world) => {
      const { choices, usage } = await whole(world, {
        model: REASONING_MODEL,
        ...sim({ tokens: 4, reasoning: 6 }),
      });
      expect(choices[0]?.message.reasoning_content).not.toBe('');
      expect(choices[0]?.message.content).not.toContain(
        choices[0]?.message.reasoning_content ?? '',
      );
      expect(usage.completion_tokens_details.reasoning_tokens).toBe(6);
    },
  },
  {
    title: 'an answer that reaches its bound ends with length',
    proves: ['D49', 'I24'],
    run: async (world) => {
      const { choices, usage } = await whole(world, {
        ...sim({ tokens: 50 }),
        max_completion_tokens: 3,
      });
      expect([choices[0]?.finish_reason, usage.completion_tokens]).toEqual(['length', 3]);
    },
  },
  {
    title: 'ids are never the same',
    proves: ['D50'],
    run: async (world) => {
      const ids = await Promise.all(
        Array.from({ length: 5 }, async () => (await whole(world, {})).id),
      );
      expect(new Set(ids).size).toBe(5);
    },
  },
];

const streams: Case[] = [
  {
    title: 'a stream has the shape of the interface',
    proves: ['I2', 'I50', 'I51', 'I52', 'I54', 'I58', 'I71'],
    run: async (world) => {
      const text = await streamed(world, sim({ tokens: 6 }));
      expect(eventsOf(text).at(-1)).toBe('[DONE]');
      const chunks = parsed(text);
      expect(
        new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size,
      ).toBe(1);
      expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant' });
      expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
      for (const chunk of chunks.slice(0, -1)) expect(chunk.choices[0]?.finish_reason).toBeNull();
      for (const chunk of chunks) expect([chunk.usage, chunk.choices.length]).toEqual([null, 1]);
    },
  },
  {
    title: 'the same seed gives the same text, streamed or not',
    proves: ['I55', 'I27'],
    run: async (world) => {
      const request = { ...sim({ tokens: 40 }), seed: 11 };
      const { choices } = await whole(world, request);
      expect(contentOf(await streamed(world, request))).toBe(choices[0]?.message.content);
    },
  },
  {
    title: 'reasoning comes before content',
    proves: ['I56'],
    run: async (world) => {
      const chunks = parsed(
        await streamed(world, { model: REASONING_MODEL, ...sim({ tokens: 5, reasoning: 5 }) }),
      );
      const kinds = chunks.map(({ choices }) => Object.keys(choices[0]?.delta ?? {})[0]);
      expect(kinds.lastIndexOf('reasoning_content')).toBeLessThan(kinds.indexOf('content'));
      expect(kinds.filter((kind) => kind === 'reasoning_content').length).toBeGreaterThan(1);
    },
  },
  {
    title: 'usage comes in a chunk of its own, just before the end',
    proves: ['I51', 'I52', 'I70'],
    run: async (world) => {
      const text = await streamed(world, {
        ...sim({ tokens: 5 }),
        stream_options: { include_usage: true },
      });
      const last = parsed(text).at(-1);
      expect(last?.choices).toEqual([]);
      expect(last?.usage).toMatchObject({ completion_tokens: 5 });
      expect(eventsOf(text).at(-1)).toBe('[DONE]');
    },
  },
  {
    title: 'every event is padded to blocks, with different characters',
    proves: ['I53', 'D51'],
    run: async (world) => {
      const text = await streamed(world, {
        ...sim({ tokens: 20 }),
        stream_options: { include_usage: true },
      });
      const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
      for (const event of events) expect((Buffer.byteLength(event) + 2) % 64).toBe(0);
      const paddings = parsed(text).map(({ obfuscation }) => obfuscation);
      expect(new Set(paddings).size).toBeGreaterThan(paddings.length / 2);
    },
  },
  {
    title: 'padding can be switched off',
    proves: ['D51'],
    run: async (world) => {
      const text = await streamed(world, {
        ...sim({ tokens: 3 }),
        stream_options: { include_obfuscation: false },
      });
      for (const chunk of parsed(text)) expect(chunk).not.toHaveProperty('obfuscation');
    },
  },
  {
    title: 'calls come in fragments that accumulate to JSON',
    proves: ['I57', 'I79'],
    run: async (world) => {
      const parameters = {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      };
      const text = await streamed(world, {
        ...sim({ tool: ['look_up', 'look_up'] }),
        tools: [{ type: 'function', function: { name: 'look_up', parameters } }],
      });
      const fragments = parsed(text).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
      const calls = new Map<number, string>();
      for (const { index, id, type, function: part } of fragments) {
        if (!calls.has(index)) {
          expect([id?.startsWith('call_'), type, part?.name, part?.arguments]).toEqual([
            true,
            'function',
            'look_up',
            '',
          ]);
        }
        calls.set(index, (calls.get(index) ?? '') + (part?.arguments ?? ''));
      }
      expect([...calls.keys()]).toEqual([0, 1]);
      for (const text of calls.values()) expect(JSON.parse(text)).toHaveProperty('city');
      expect(parsed(text).at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
    },
  },
  {
    title: 'an idle stream sends comments',
    proves: ['I74'],
    run: async (world) => {
      const text = await streamed(world, {
        ...sim({ tokens: 2, itl_ms: 2_500 }),
        model: 'sluice-small',
      });
      expect(text).toMatch(/^: keepalive$/m);
      expect(text).toContain('[DONE]');
    },
  },
];

export const replyCases: CaseGroup[] = [
  { section: 'replies that are not streamed', cases: wholeReplies },
  { section: 'streams', cases: streams },
];
