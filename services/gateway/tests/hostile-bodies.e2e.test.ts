import { connectBus, type Bus } from '@sluice/bus';
import { DEFAULT_SUBJECT_PREFIX, subjectsUnder, workerName } from '@sluice/contracts';
import { useLeakCheck, useStack } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

useLeakCheck();
const stack = useStack({
  workers: 2,
  environment: { SIMULATOR_TTFT_MS: '0', SIMULATOR_ITL_MS: '0' },
});

const LARGEST_BODY = 4 * 1_024 * 1_024;
const MODEL = 'sluice-demo';
const user = { role: 'user', content: '@sim {"tokens":3,"reasoning":0}' };

function complete(body: string): Promise<Response> {
  const { apiRoot, apiKey } = stack();
  return fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
  });
}

function members(count: number): string {
  return JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index.toString(36)}`, 1])),
  );
}

/** A conversation with an earlier call that has these arguments. */
function withCall(written: string): string {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: written } };
  return JSON.stringify({
    model: MODEL,
    messages: [
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
      user,
    ],
  });
}

describe('a body that takes long to read', () => {
  let bus: Bus;
  let offers = 0;

  beforeEach(async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    bus = await connectBus({ servers: [stack().natsUrl], name: 'test', logger });
    offers = 0;
    const jobs = subjectsUnder(DEFAULT_SUBJECT_PREFIX).job(workerName('*', '*'));
    bus.subscribe(jobs, () => {
      offers += 1;
    });
    await bus.flush();
  });
  afterEach(async () => {
    await bus[Symbol.asyncDispose]();
  });

  test('of the maximum size is offered to only one of two workers', async () => {
    const request = withCall(members(20_000));
    const reply = await complete(request + ' '.repeat(LARGEST_BODY - request.length));
    expect(await reply.text()).toContain('"finish_reason":"stop"');
    await bus.flush();
    expect(offers).toBe(1);
  });

  test('because of too many values in call arguments is offered to no worker', async () => {
    const reply = await complete(withCall(members(330_000)));
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: {
        code: 'invalid_value',
        param: 'messages[1].tool_calls[0].function.arguments',
        message: expect.stringContaining('at most 65536') as string,
      },
    });
    await bus.flush();
    expect(offers).toBe(0);
  });
});

describe.each([false, true])(
  'a schema that replies cannot be checked against, stream %s',
  (stream) => {
    const withPattern = (pattern: string) => ({
      type: 'object',
      properties: { city: { type: 'string', pattern } },
    });
    const tool = (name: string, parameters: object) => ({
      type: 'function',
      function: { name, parameters, strict: true },
    });
    const format = (schema: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    });

    test.each([
      [
        'of the content',
        format(withPattern(String.raw`\Acity`)),
        'response_format.json_schema.schema',
        'ECMA-262',
      ],
      [
        'of a strict function',
        { tools: [tool('f', { type: 'object' }), tool('g', withPattern('(?i)city'))] },
        'tools[1].function.parameters',
        'ECMA-262',
      ],
      [
        'of a strict function, by its size',
        { tools: [tool('f', { enum: Array.from({ length: 1_000_000 }, () => 1) })] },
        'tools[0].function.parameters',
        '1000000 characters',
      ],
    ])('%s is refused with its name and the reason', async (_, part, param, reason) => {
      const reply = await complete(
        JSON.stringify({ model: MODEL, messages: [user], stream, ...part }),
      );
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        error: {
          type: 'invalid_request_error',
          code: 'invalid_value',
          param,
          message: expect.stringContaining(reason) as string,
        },
      });
    });
  },
);
