import { describe, expect, it } from 'vitest';
import {
  body,
  faultOf,
  messages,
  schemaFormat,
  tool,
  toolTaking,
  tools,
} from './request-fixture.ts';
import { validateChatRequest } from './validate-request.ts';

describe('parameters that are not listed', () => {
  it.each([
    'user',
    'metadata',
    'top_logprobs',
    'audio',
    'prediction',
    'functions',
    'Model',
    'toString',
  ])('%s is not supported, not even as null', (name) => {
    expect(faultOf(body({ [name]: null }))).toEqual(['unsupported_parameter', name]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('%s never reaches an object', (name) => {
    const parsed: unknown = JSON.parse(
      `{"model":"m","messages":[{"role":"user","content":"x"}],"${name}":{"polluted":true}}`,
    );
    expect(faultOf(parsed)).toEqual(['unsupported_parameter', name]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('come first, in the order of the body', () => {
    expect(faultOf({ temperature: 9, zeta: 1, alpha: 1 })).toEqual([
      'unsupported_parameter',
      'zeta',
    ]);
  });

  it('are named in at most 256 characters that can be shown', () => {
    const verdict = validateChatRequest(body({ [`a\u0000\n\u202eb${'x'.repeat(1000)}`]: 1 }));
    if (verdict.ok) expect.unreachable();
    expect(verdict.fault.param).toMatch(/^abx{251}$/);
    expect(verdict.fault.message).toBe(`Unsupported parameter: '${verdict.fault.param}'.`);
  });
});

describe('of several faults', () => {
  it.each([
    [{ messages: [], temperature: 3 }, 'missing_required_parameter', 'model'],
    [{ verbosity: 'high', model: 'm', messages, top_p: 2 }, 'invalid_value', 'top_p'],
    [{ temperature: 3, model: 'm', messages: [] }, 'invalid_value', 'messages'],
    [body({ n: 2, stream_options: {} }), 'invalid_value', 'stream_options'],
    [body({ tool_choice: 'auto', logprobs: true }), 'invalid_value', 'tool_choice'],
    [body({ max_tokens: 0, max_completion_tokens: 0 }), 'invalid_value', 'max_completion_tokens'],
    [body({ seed: 'x', max_tokens: 1, max_completion_tokens: 1 }), 'invalid_value', 'max_tokens'],
    [body({ verbosity: 'high', modalities: [], store: true }), 'unsupported_value', 'store'],
    [
      body({ tools: [toolTaking({ type: 'any' })], tool_choice: 'x', n: 2 }),
      'invalid_value',
      'tools[0].function.parameters',
    ],
    [
      body({ ...schemaFormat({ name: 'a', schema: { type: 'any' } }), store: true }),
      'invalid_value',
      'response_format.json_schema.schema',
    ],
    [
      body({ ...schemaFormat({ name: 'a', schema: { type: 'any' } }), n: 2 }),
      'unsupported_value',
      'n',
    ],
  ])('%j tells the first of the table', (parsed, code, param) => {
    expect(faultOf(parsed)).toEqual([code, param]);
  });
});

describe('messages of faults', () => {
  it('say the rule and the place', () => {
    const verdict = validateChatRequest(body({ temperature: 3 }));
    expect(verdict).toMatchObject({
      fault: { message: 'temperature must be a number between 0 and 2.' },
    });
  });

  it.each([
    { model: 'm', messages: 'SECRET' },
    { model: 'm', messages: ['SECRET'] },
    { model: 'm', messages: [{ role: 'SECRET', content: 'SECRET' }] },
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'SECRET', text: 'SECRET' }] }] },
    { model: 'm', messages: [{ role: 'assistant', content: 'x', refusal: 'SECRET' }] },
    { model: 'm', messages: [{ role: 'tool', content: 'x', tool_call_id: 'SECRET' }] },
    body({ temperature: 'SECRET' }),
    body({ n: 'SECRET' }),
    body({ tools, tool_choice: 'SECRET' }),
    body({ tools: [tool('SECRET '.repeat(20))] }),
    body({ tools: [tool('SECRET'), tool('SECRET')] }),
    body({ response_format: { type: 'SECRET' } }),
  ])('never hold the value: %j', (parsed) => {
    const verdict = validateChatRequest(parsed);
    expect(verdict.ok).toBe(false);
    expect(JSON.stringify(verdict)).not.toContain('SECRET');
  });
});

describe('a request full of faults', () => {
  it.each([
    ['messages', { model: 'm', messages: Array.from({ length: 200_000 }, () => 1) }],
    ['messages[0]', { model: 'm', messages: Array.from({ length: 10_000 }, () => 1) }],
    [
      'messages[0].content[0]',
      {
        model: 'm',
        messages: [{ role: 'user', content: Array.from({ length: 1_000_000 }, () => 1) }],
      },
    ],
    [
      'messages[0].tool_calls[0]',
      {
        model: 'm',
        messages: [{ role: 'assistant', tool_calls: Array.from({ length: 1_000_000 }, () => 1) }],
      },
    ],
    ['tools', body({ tools: Array.from({ length: 1_000_000 }, () => 1) })],
    ['stop', body({ stop: Array.from({ length: 1_000_000 }, () => 1) })],
  ])('tells one at %s, and looks for no more', (param, parsed) => {
    // Collecting the others would take seconds, or overflow the stack.
    expect(faultOf(parsed)).toEqual(['invalid_value', param]);
  });
});
