import { ChatCompletionChunk, ErrorBody } from '@sluice/contracts';
import { useLeakCheck, useStack } from '@sluice/devkit';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completionHead } from './completion-request.ts';
import { PLAIN_REQUEST, World } from './conformance/world.ts';
import { chunksOf, contentOf } from './event-stream-reader.ts';

useLeakCheck();
const stack = useStack({ environment: { SIMULATOR_TTFT_MS: '0', SIMULATOR_ITL_MS: '0' } });
let world: World;

beforeAll(async () => {
  world = await World.open(stack());
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const RUNS = 150;

/** Expects a completion or an error that is the client's fault. */
async function expectCalm(reply: Response): Promise<void> {
  const text = await reply.text();
  expect([200, 400, 404, 413, 415]).toContain(reply.status);
  if (reply.status !== 200) ErrorBody.parse(JSON.parse(text));
}

const FULL_REQUEST = {
  ...PLAIN_REQUEST,
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    ...PLAIN_REQUEST.messages,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  tool_choice: 'auto',
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
  temperature: 1,
  max_tokens: 3,
  seed: 1,
  stop: ['x'],
};

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Every position in a value, as a path. */
function placesOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => placesOf(item, [...path, index]))
    : value !== null && typeof value === 'object'
      ? Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]))
      : [];
  return [path, ...inside];
}

/** The value with another one at the given path. */
function replaced(value: Json, [first, ...rest]: (string | number)[], by: Json): Json {
  if (first === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === first ? replaced(item, rest, by) : item));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === first ? replaced(item, rest, by) : item,
    ]),
  );
}

describe('invalid input of a client causes only an error for that client', () => {
  test('any JSON', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (body) =>
        expectCalm(await world.send(body)),
      ),
      { numRuns: RUNS },
    );
  });

  test('any bytes', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400, size: 'max' }), async (bytes) =>
        expectCalm(await world.send(new Uint8Array(bytes))),
      ),
      { numRuns: RUNS },
    );
  });

  test('any change to a valid request', { timeout: 120_000 }, async () => {
    const places = placesOf(FULL_REQUEST);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.constantFrom(...places.map((place) => place.at(-1) ?? null)),
        ),
        async (place, value) => {
          const body = JSON.stringify(replaced(FULL_REQUEST, place, value as Json));
          await expectCalm(await world.send(body));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('any cut of the bytes of a valid request', { timeout: 120_000 }, async () => {
    const text = JSON.stringify(FULL_REQUEST);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), async (end) =>
        expectCalm(await world.send(text.slice(0, end))),
      ),
      { numRuns: RUNS },
    );
  });

  test('any split of the bytes on their way', { timeout: 120_000 }, async () => {
    const body = JSON.stringify({
      ...PLAIN_REQUEST,
      messages: [{ role: 'user', content: 'ü水\n@sim {"tokens": 1}' }],
    });
    const length = `content-length: ${Buffer.byteLength(body)}`;
    const bytes = Buffer.from(completionHead(stack().apiKey, length) + body);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), {
          maxLength: 12,
          size: 'max',
        }),
        async (cuts) => {
          await using client = await world.raw();
          client.socket.setNoDelay(true);
          let start = 0;
          for (const end of [...cuts.toSorted((one, other) => one - other), bytes.length]) {
            client.send(bytes.subarray(start, end));
            start = end;
            await new Promise((resolve) => setImmediate(resolve));
          }
          expect((await client.reply()).status).toBe(200);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('any output of a runtime', () => {
  test(
    'a stream parses and adds up to the text of the whole reply',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc
            .string({ unit: 'grapheme', minLength: 1, maxLength: 60, size: 'max' })
            .filter((text) => text.trim() !== ''),
          fc.integer({ min: 1, max: 40 }),
          fc.boolean(),
          fc.boolean(),
          async (text, split, crlf, comments) => {
            const steering = JSON.stringify({ text, split, crlf, comments });
            const request = { messages: [{ role: 'user', content: `x\n@sim ${steering}` }] };
            const whole = (await (await world.complete(request)).json()) as {
              choices: { message: { content: string } }[];
            };
            const streamed = await (await world.complete({ ...request, stream: true })).text();
            for (const chunk of chunksOf(streamed)) ChatCompletionChunk.parse(chunk);
            expect(streamed.endsWith('data: [DONE]\n\n')).toBe(true);
            expect(contentOf(streamed)).toBe(whole.choices[0]?.message.content);
            expect(contentOf(streamed)).toBe(text);
          },
        ),
        { numRuns: 60 },
      );
    },
  );
});
