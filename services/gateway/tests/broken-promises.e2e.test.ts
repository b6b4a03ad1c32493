import { useLeakCheck, useStack } from '@sluice/devkit';
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

/** A conversation that no other test uses: the runtime counts how often it broke a promise in each conversation. */
function complete(sim: object, body: object): Promise<Response> {
  const { apiRoot, apiKey } = stack();
  const steering = JSON.stringify({ reasoning: 0, tokens: 3, ...sim });
  const content = `Conversation ${(conversations += 1)}.\n@sim ${steering}`;
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

/** The events of a stream whose connection breaks. */
async function eventsUntilCut({ body }: Response): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const pieces: AsyncIterable<Uint8Array> | null = body;
    for await (const piece of pieces ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    // The events received before the break are kept.
  }
  return eventsOf(text);
}

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** The promised part of a message: the content as JSON, or the calls as pairs of a name and arguments. */
function readMessage({ content, tool_calls: calls }: Message): unknown {
  if (calls !== undefined) {
    return calls.map(({ function: called }) => [
      called.name,
      JSON.parse(called.arguments) as unknown,
    ]);
  }
  try {
    return JSON.parse(content ?? '');
  } catch {
    return 'words';
  }
}

const requiring = { tools, tool_choice: 'required' };
const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
const aCall = [expect.stringMatching(/^[fg]$/), { city: expect.any(String) as unknown }];

interface Breach {
  readonly promise: string;
  readonly body: object;
  readonly sim: object;
  readonly kept: unknown;
  /** Whether a stream delivers something before the breach shows. */
  readonly delivers: boolean;
}

const BREACHES: readonly Breach[] = [
  {
    promise: 'json_object',
    body: { response_format: { type: 'json_object' } },
    sim: { breaks: 'response_format' },
    kept: expect.any(Object),
    delivers: true,
  },
  {
    promise: 'json_schema',
    body: { response_format: format },
    sim: { breaks: 'response_format' },
    kept: { a: 1 },
    delivers: true,
  },
  {
    promise: 'a required call',
    body: requiring,
    sim: { breaks: 'tool_choice' },
    kept: [aCall],
    delivers: false,
  },
  {
    promise: 'a call of a named function',
    body: { tools, tool_choice: named },
    sim: { breaks: 'tool_choice', tool: 'f' },
    kept: [['g', { city: expect.any(String) as unknown }]],
    delivers: false,
  },
  {
    promise: 'no call',
    body: { tools, tool_choice: 'none' },
    sim: { breaks: 'tool_choice' },
    kept: 'words',
    delivers: false,
  },
  {
    promise: 'one call at a time',
    body: { ...requiring, parallel_tool_calls: false },
    sim: { breaks: 'parallel_tool_calls' },
    kept: [aCall],
    delivers: true,
  },
  {
    promise: 'strict arguments',
    body: requiring,
    sim: { breaks: 'arguments' },
    kept: [aCall],
    delivers: true,
  },
];

describe.each(BREACHES)('a runtime that breaks $promise', ({ body, sim, kept, delivers }) => {
  test('once is retried for a whole reply', async () => {
    const reply = await complete({ ...sim, breaks_times: 1 }, body);
    expect(reply.status).toBe(200);
    const { choices } = (await reply.json()) as { choices: readonly { message: Message }[] };
    expect(choices.map(({ message }) => readMessage(message))).toEqual([kept]);
  });

  test('twice fails a whole reply', async () => {
    const reply = await complete({ ...sim, breaks_times: 2 }, body);
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject(UPSTREAM_UNAVAILABLE);
  });

  test('once is retried for a stream if nothing was delivered', async () => {
    const reply = await complete({ ...sim, breaks_times: 1 }, { ...body, stream: true });
    expect(reply.status).toBe(200);
    const events = await eventsUntilCut(reply);
    if (delivers) expect(JSON.parse(events.at(-1) ?? '')).toMatchObject(UPSTREAM_UNAVAILABLE);
    else expect(events.at(-1)).toBe('[DONE]');
  });

  test('always fails a stream', async () => {
    const reply = await complete(sim, { ...body, stream: true });
    expect(reply.status).toBe(delivers ? 200 : 502);
    const events = delivers ? await eventsUntilCut(reply) : [await reply.text()];
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject(UPSTREAM_UNAVAILABLE);
    // Nothing from a second call is delivered.
    expect(events.join('')).not.toContain('"tool_calls":[{"index":1');
  });
});

describe('a runtime that reasons after its content', () => {
  const steering = { breaks: 'reasoning_first', reasoning: 3 };

  test('fails a stream before that reasoning is delivered', async () => {
    const reply = await complete(steering, { stream: true });
    const events = await eventsUntilCut(reply);
    expect(events.join('')).not.toContain('reasoning_content');
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject(UPSTREAM_UNAVAILABLE);
  });

  test('is sorted in a whole reply', async () => {
    const reply = await complete(steering, {});
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
