import { useLeakCheck, useStack } from '@sluice/testkit';
import { describe, expect, test } from 'vitest';
import { eventsOf } from './event-stream-reader.ts';

useLeakCheck();
const stack = useStack({ environment: { SIMULATOR_TTFT_MS: '0', SIMULATOR_ITL_MS: '0' } });

const UPSTREAM_UNAVAILABLE = { error: { type: 'upstream_unavailable_error' } };
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = ['f', 'g'].map((name) => ({
  type: 'function',
  function: { name, parameters, strict: true },
}));
const named = { type: 'function', function: { name: 'g' } };
const schema = { type: 'object', properties: { a: { const: 1 } }, required: ['a'] };

let conversations = 0;

/** A conversation that no other test has: the runtime counts how often it has broken a promise in each. */
function complete(sim: object, body: object): Promise<Response> {
  const { apiRoot, apiKey } = stack();
  const orders = JSON.stringify({ reasoning: 0, tokens: 3, ...sim });
  const content = `Conversation ${(conversations += 1)}.\n@sim ${orders}`;
  return fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sluice-demo',
      messages: [{ role: 'user', content }],
      ...body,
    }),
  });
}

/** The events of a stream, though its connection is cut. */
async function eventsUntilCut({ body }: Response): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const pieces: AsyncIterable<Uint8Array> | null = body;
    for await (const piece of pieces ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    // What came before is what the client has.
  }
  return eventsOf(text);
}

const requiring = { tools, tool_choice: 'required' };
const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
/** Each breach, and whether a stream has delivered something before it shows. */
const BREACHES = [
  ['json_object', { response_format: { type: 'json_object' } }, 'response_format', {}, true],
  ['json_schema', { response_format: format }, 'response_format', {}, true],
  ['required', requiring, 'tool_choice', {}, false],
  ['a named function', { tools, tool_choice: named }, 'tool_choice', { tool: 'f' }, false],
  ['none', { tools, tool_choice: 'none' }, 'tool_choice', {}, false],
  [
    'one call at a time',
    { ...requiring, parallel_tool_calls: false },
    'parallel_tool_calls',
    {},
    true,
  ],
  ['strict arguments', requiring, 'arguments', {}, true],
] as const;

describe.each(BREACHES)('a runtime that breaks %s', (_, body, breaks, orders, delivers) => {
  test('once is asked again for a whole reply', async () => {
    const reply = await complete({ breaks, breaks_times: 1, ...orders }, body);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ choices: [{ index: 0 }] });
  });

  test('twice has failed a whole reply', async () => {
    const reply = await complete({ breaks, breaks_times: 2, ...orders }, body);
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject(UPSTREAM_UNAVAILABLE);
  });

  test('once is asked again for a stream if nothing was delivered', async () => {
    const reply = await complete({ breaks, breaks_times: 1, ...orders }, { ...body, stream: true });
    expect(reply.status).toBe(200);
    const events = await eventsUntilCut(reply);
    if (delivers) expect(JSON.parse(events.at(-1) ?? '')).toMatchObject(UPSTREAM_UNAVAILABLE);
    else expect(events.at(-1)).toBe('[DONE]');
  });

  test('always has failed a stream', async () => {
    const reply = await complete({ breaks, ...orders }, { ...body, stream: true });
    expect(reply.status).toBe(delivers ? 200 : 502);
    const events = delivers ? await eventsUntilCut(reply) : [await reply.text()];
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject(UPSTREAM_UNAVAILABLE);
    // Of a second call.
    expect(events.join('')).not.toContain('"tool_calls":[{"index":1');
  });
});

describe('a runtime that reasons after its content', () => {
  const orders = { breaks: 'reasoning_first', reasoning: 3 };

  test('fails a stream before that reasoning is delivered', async () => {
    const reply = await complete(orders, { stream: true });
    const events = await eventsUntilCut(reply);
    expect(events.join('')).not.toContain('reasoning_content');
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject(UPSTREAM_UNAVAILABLE);
  });

  test('is put in order in a whole reply', async () => {
    const reply = await complete(orders, {});
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({
      choices: [
        {
          message: {
            content: expect.stringMatching(/\S/) as string,
            reasoning_content: expect.stringMatching(/\S/) as string,
          },
        },
      ],
    });
  });
});
