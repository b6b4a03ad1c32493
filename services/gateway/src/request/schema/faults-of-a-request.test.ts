import { describe, expect, it } from 'vitest';
import {
  body,
  bodyWith,
  faultOf,
  messages,
  schemaFormat,
  tool,
  toolTaking,
  tools,
  verdictOn,
} from './request-fixture.ts';

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
  ])('%s is refused, even as null', (name) => {
    expect(faultOf(body({ [name]: null }))).toEqual(['unsupported_parameter', name]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('%s never reaches an object', (name) => {
    expect(faultOf(bodyWith(`"${name}":{"polluted":true}`))).toEqual([
      'unsupported_parameter',
      name,
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('are reported before other faults, in the order of the body', () => {
    expect(faultOf({ temperature: 9, zeta: 1, alpha: 1 })).toEqual([
      'unsupported_parameter',
      'zeta',
    ]);
  });

  it.each([
    [bodyWith('"user":1,"5":2'), 'user'],
    [bodyWith('"zz":1,"10":1,"2":1'), 'zz'],
    [bodyWith('"10":1,"2":1,"zz":1'), '10'],
    [bodyWith('"2":1'), '2'],
    ['{"5":1,"user":1,"model":"m"}', '5'],
    ['{"user":1,"5":1,"user":2}', 'user'],
    ['{"5":1,"user":1,"5":2}', '5'],
    [String.raw`{"\u0075ser":1,"5":1}`, 'user'],
    [String.raw`{"\u0035":1,"user":1,"2":1}`, '5'],
    [String.raw`{"mo\u0064el":"m","\u0022\\":1,"2":1}`, '"\\'],
    ['{"temperature" : "user" , "n":[{"a":1,"b":"c"},"d"],\n"zz" :1,"2":1}', 'zz'],
    ['{"model":"a \\"user\\": {","messages":[["x"]],"zz":1,"2":1}', 'zz'],
    ['{"é":1,"2":1}', 'é'],
    ['{"007":1,"2":1}', '007'],
    ['{"__proto__":1,"2":1}', '__proto__'],
    ['{"4294967295":1,"4294967294":1}', '4294967295'],
  ])('are in the order of the body even if their names are numbers: %s', (text, param) => {
    expect(faultOf(text)).toEqual(['unsupported_parameter', param]);
  });

  it.each([
    [String.raw`temper\u200bature`, 'temper\u200bature'],
    [String.raw`\u200b`, '\u200b'],
    [String.raw`a\u0000\u000a\u202e\u2028b`, 'a\u0000\n\u202e\u2028b'],
    [String.raw`\udb40\udc41\ud800`, '\u{e0041}\ud800'],
  ])('are named with hidden characters escaped: %s', (param, name) => {
    expect(verdictOn(body({ [name]: 1 }))).toMatchObject({
      fault: { param, message: `Unsupported parameter: '${param}'.` },
    });
    expect(faultOf({ model: 'm', messages: [{ role: 'user', content: 'x', [name]: 1 }] })).toEqual([
      'unsupported_parameter',
      `messages[0].${param}`,
    ]);
  });

  it.each([
    ['x', 'x'.repeat(256)],
    ['\n', String.raw`\u000a`.repeat(42)],
    ['\n😀', String.raw`\u000a😀`.repeat(32)],
    ['😀x', '😀x'.repeat(85)],
  ])(
    'are named in at most 256 characters without cutting an escape: many times %j',
    (part, param) => {
      expect(faultOf(body({ [part.repeat(1_000)]: 1 }))).toEqual(['unsupported_parameter', param]);
    },
  );
});

describe('a body that nests too deeply', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const MANY = 1_000_000;

  it.each([
    [`"tools":${deep(MANY)},"seed":${deep(MANY)}`, 'seed'],
    [`"temperature":9,"tools":${deep(64)}`, 'temperature'],
    [`"tools":${deep(64)},"parallel_tool_calls":9`, 'tools'],
    [`"stop":${deep(63)}`, 'stop[0]'],
    [`"stop":${deep(64)}`, 'stop'],
  ])('is refused at the first parameter of the table that is too deep', (members, param) => {
    expect(faultOf(bodyWith(members))).toEqual(['invalid_value', param]);
  });

  it.each([
    [`{"tools":${deep(MANY)},"user":1}`, 'user'],
    [`{"user":1,"tools":${deep(MANY)}}`, 'user'],
    [`{"zz":${deep(MANY)}}`, 'zz'],
    [`{"tools":${'{"":'.repeat(MANY)}1${'}'.repeat(MANY)},"zz":1,"5":1}`, 'zz'],
  ])('is refused for an unlisted parameter first', (text, param) => {
    expect(faultOf(text)).toEqual(['unsupported_parameter', param]);
  });

  it('is reported with the limit', () => {
    expect(verdictOn(bodyWith(`"tools":${deep(64)}`))).toMatchObject({
      fault: { message: 'tools is nested too deeply: a body has at most 64 levels.' },
    });
  });
});

describe('a request with several faults', () => {
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
  ])('%j gets the first of the table', (parsed, code, param) => {
    expect(faultOf(parsed)).toEqual([code, param]);
  });
});

describe('a response format', () => {
  /** A format with this many bytes as JSON. */
  const formatOf = (bytes: number) => {
    const rest = JSON.stringify({ name: 'a', schema: { description: '' } }).length;
    return schemaFormat({ name: 'a', schema: { description: 'ß'.padEnd(bytes - rest - 1) } });
  };

  it('may have the maximum length', () => {
    expect(verdictOn(body(formatOf(1_000_000)))).toMatchObject({ ok: true });
  });

  it('may not exceed the maximum length', () => {
    expect(faultOf(body(formatOf(1_000_001)))).toEqual([
      'invalid_value',
      'response_format.json_schema',
    ]);
  });
});

describe('the messages of faults', () => {
  it('state the limit that a schema exceeds', () => {
    const schema = { anyOf: Array.from({ length: 257 }, () => ({ pattern: 'a' })) };
    expect(verdictOn(body(schemaFormat({ name: 'a', schema })))).toMatchObject({
      fault: {
        param: 'response_format.json_schema.schema',
        message: expect.stringContaining('more than 256 patterns') as unknown,
      },
    });
  });

  it('state the rule and the place', () => {
    const verdict = verdictOn(body({ temperature: 3 }));
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
  ])('do not contain the value: %j', (parsed) => {
    const verdict = verdictOn(parsed);
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
  ])('is checked up to the first fault, at %s', (param, parsed) => {
    // Collecting all faults would take seconds or overflow the stack.
    expect(faultOf(parsed)).toEqual(['invalid_value', param]);
  });
});
