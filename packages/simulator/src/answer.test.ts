import { describe, expect, test } from 'vitest';
import { simulatedAnswer } from './answer.ts';
import { RefusedRequest } from './refusal.ts';
import { tokenize } from './tokenizer.ts';

const user = (content: unknown) => ({ role: 'user', content });
const ask = (content: string, more: Record<string, unknown> = {}) => ({
  model: 'sluice-demo',
  messages: [user(content)],
  ...more,
});
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const clock = { type: 'function', function: { name: 'clock' } };

function refusalOf(body: unknown) {
  try {
    simulatedAnswer(body);
  } catch (error) {
    if (error instanceof RefusedRequest) return error.body.error;
    throw error;
  }
  return undefined;
}

describe('the text', () => {
  test('is always the same for the same request', () => {
    expect(
      simulatedAnswer(ask('Where does the water go?\n@sim {"tokens": 12, "reasoning": 5}')),
    ).toEqual({
      reasoning: 'Perhaps, the bright',
      content: 'The quiet шлюз opens the calm river behind a 水門.',
      toolCalls: [],
      finishReason: 'stop',
      promptTokens: 23,
      completionTokens: 17,
      reasoningTokens: 5,
    });
  });

  test('differs with another seed, conversation or model', () => {
    const texts = [
      ask('hello'),
      ask('hello!'),
      ask('hello', { seed: 0 }),
      ask('hello', { seed: 1 }),
      ask('hello', { model: 'sluice-strict' }),
      { model: 'sluice-demo', messages: [{ role: 'system', content: 'x' }, user('hello')] },
    ].map((body) => simulatedAnswer(body).content);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('does not depend on fields that a relay may rewrite', () => {
    const call = { type: 'function', function: { name: 'clock', arguments: '{}' } };
    const plain = simulatedAnswer({
      model: 'sluice-demo',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'one', ...call }] },
        { role: 'tool', tool_call_id: 'one', content: 'noon' },
        user('a\nb'),
      ],
    });
    const rewritten = simulatedAnswer({
      model: 'sluice-demo',
      stream: true,
      messages: [
        { role: 'developer', content: 'be brief', name: 'boss' },
        { role: 'assistant', reasoning_content: 'hm', tool_calls: [{ id: 'two', ...call }] },
        { role: 'tool', tool_call_id: 'two', content: [{ type: 'text', text: 'noon' }] },
        user([
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ]),
      ],
    });
    expect(rewritten.content).toBe(plain.content);
    expect(rewritten.reasoning).toBe(plain.reasoning);
    expect(rewritten.promptTokens).toBeGreaterThan(plain.promptTokens);
  });

  test('of the content does not depend on the length of the reasoning, nor the reverse', () => {
    const little = simulatedAnswer(ask('x', { reasoning_effort: 'minimal' }));
    const much = simulatedAnswer(ask('x', { reasoning_effort: 'max' }));
    expect(much.reasoningTokens).toBeGreaterThan(little.reasoningTokens);
    expect(much.content).toBe(little.content);
    const json = simulatedAnswer(
      ask('x', { reasoning_effort: 'max', response_format: { type: 'json_object' } }),
    );
    expect(json.content).not.toBe(much.content);
    expect(json.reasoning).toBe(much.reasoning);
  });

  test('has the numbers of tokens that the @sim line sets', () => {
    const small = simulatedAnswer(ask('x\n@sim {"tokens": 5, "reasoning": 5}', { seed: 1 }));
    expect(tokenize(small.content ?? '')).toHaveLength(5);
    expect(tokenize(small.reasoning ?? '')).toHaveLength(5);
    expect(small).toMatchObject({ completionTokens: 10, reasoningTokens: 5, finishReason: 'stop' });
  });
});

describe('reasoning', () => {
  test('depends on the model, the effort and the template', () => {
    expect(simulatedAnswer(ask('hi')).reasoning).not.toBeNull();
    expect(simulatedAnswer(ask('hi', { model: 'sluice-small' })).reasoning).toBeNull();
    expect(simulatedAnswer(ask('hi', { reasoning_effort: 'none' })).reasoning).toBeNull();
    expect(
      simulatedAnswer(ask('hi', { chat_template_kwargs: { enable_thinking: false } })).reasoning,
    ).toBeNull();
    const tokens = (effort: string) =>
      simulatedAnswer(ask('hi', { reasoning_effort: effort })).reasoningTokens;
    expect(tokens('max')).toBeGreaterThan(tokens('medium'));
  });

  test('can be requested by the @sim line from a model that does not reason', () => {
    const body = ask('hi\n@sim {"reasoning": 4}', { model: 'sluice-small' });
    expect(simulatedAnswer(body).reasoningTokens).toBe(4);
  });
});

describe('length', () => {
  test.each(['max_tokens', 'max_completion_tokens'])('%s cuts the answer', (parameter) => {
    const whole = simulatedAnswer(ask('hi\n@sim {"tokens": 30, "reasoning": 10}'));
    const cut = simulatedAnswer(
      ask('hi\n@sim {"tokens": 30, "reasoning": 10}', { [parameter]: 15 }),
    );
    expect(cut).toMatchObject({
      completionTokens: 15,
      finishReason: 'length',
      reasoning: whole.reasoning,
    });
    expect(whole.content?.startsWith(cut.content ?? 'no content')).toBe(true);
    expect(tokenize(cut.content ?? '')).toHaveLength(5);
  });

  test('a limit within the reasoning leaves no content', () => {
    const cut = simulatedAnswer(ask('hi\n@sim {"reasoning": 10}', { max_tokens: 4 }));
    expect(cut).toMatchObject({ content: null, completionTokens: 4, reasoningTokens: 4 });
  });

  test('an answer that just fits ends by itself', () => {
    const body = ask('hi\n@sim {"tokens": 3, "reasoning": 2}', { max_tokens: 5 });
    expect(simulatedAnswer(body).finishReason).toBe('stop');
  });

  test('the context limits an answer without another limit', () => {
    const models = [{ name: 'tiny', reasoning: false, contextLength: 50 }];
    const body = { model: 'tiny', messages: [user('hi\n@sim {"tokens": 100}')] };
    const answer = simulatedAnswer(body, models);
    expect(answer.promptTokens + answer.completionTokens).toBe(50);
    expect(answer.finishReason).toBe('length');
  });
});

describe('tools', () => {
  const tools = [weather, clock];
  const called = (content: string, more: Record<string, unknown> = {}) =>
    simulatedAnswer(ask(content, { tools, ...more })).toolCalls.map(({ name }) => name);

  test('are called if the message mentions them, or if the @sim line or tool_choice asks for it', () => {
    expect(called('hello')).toEqual([]);
    expect(called('please use get_weather for Rome')).toEqual(['get_weather']);
    expect(called('Get weather and CLOCK')).toEqual(['get_weather', 'clock']);
    expect(called('hello\n@sim {"tool": "clock"}')).toEqual(['clock']);
    expect(called('hello\n@sim {"tool": ["clock", "get_weather", "clock"]}')).toEqual([
      'clock',
      'get_weather',
      'clock',
    ]);
    expect(called('hello', { tool_choice: 'required' })).toHaveLength(1);
    expect(
      called('clock', { tool_choice: { type: 'function', function: { name: 'get_weather' } } }),
    ).toEqual(['get_weather']);
    expect(called('clock', { tool_choice: 'none' })).toEqual([]);
    expect(called('get weather and clock', { parallel_tool_calls: false })).toEqual([
      'get_weather',
    ]);
  });

  test('are not called after their results, unless tool_choice requires a call', () => {
    const messages = [
      user('get_weather'),
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'rain' },
    ];
    const base = { model: 'sluice-demo', messages, tools };
    expect(simulatedAnswer(base)).toMatchObject({ toolCalls: [], finishReason: 'stop' });
    expect(simulatedAnswer({ ...base, tool_choice: 'required' }).toolCalls).toHaveLength(1);
  });

  test('get arguments that fit the schema, or the arguments of the @sim line unchanged', () => {
    const [call] = simulatedAnswer(ask('get_weather', { tools })).toolCalls;
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: expect.any(String) as string });
    const ordered = ask('@sim {"tool": "clock", "arguments": "{not json"}', { tools });
    expect(simulatedAnswer(ordered).toolCalls).toEqual([{ name: 'clock', arguments: '{not json' }]);
    expect(simulatedAnswer(ask('clock', { tools })).toolCalls).toEqual([
      { name: 'clock', arguments: '{}' },
    ]);
  });

  test('a call has no content, and its finish reason is that of vLLM', () => {
    const ends = (more: Record<string, unknown>) =>
      simulatedAnswer(ask('clock', { tools, ...more }));
    expect(ends({})).toMatchObject({ content: null, finishReason: 'tool_calls' });
    expect(ends({ tool_choice: 'required' }).finishReason).toBe('tool_calls');
    expect(ends({ tool_choice: { function: { name: 'clock' } } }).finishReason).toBe('stop');
    expect(ends({ max_tokens: 1 })).toMatchObject({ toolCalls: [], finishReason: 'length' });
  });

  test('a @sim line that needs tools is refused without them', () => {
    expect(refusalOf(ask('@sim {"tool": "clock"}'))?.message).toContain('send `tools`');
    expect(refusalOf(ask('@sim {"tool": "oven"}', { tools }))?.message).toContain('not in `tools`');
  });
});

describe('formats', () => {
  const schema = {
    type: 'object',
    properties: { litres: { type: 'integer', minimum: 3, maximum: 3 } },
    required: ['litres'],
  };
  const content = (more: Record<string, unknown>) => simulatedAnswer(ask('hi', more)).content ?? '';

  test.each([
    [
      'response_format',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    ],
    ['structured_outputs', { structured_outputs: { json: schema } }],
    ['structured_outputs as text', { structured_outputs: { json: JSON.stringify(schema) } }],
    ['guided_json', { guided_json: schema }],
  ])('%s gives JSON that fits the schema', (_title, more) => {
    expect(JSON.parse(content(more))).toEqual({ litres: 3 });
  });

  test('json_object gives an object', () => {
    const any = { title: expect.any(String) as string };
    expect(JSON.parse(content({ response_format: { type: 'json_object' } }))).toMatchObject(any);
    expect(JSON.parse(content({ structured_outputs: { json_object: true } }))).toMatchObject(any);
    const unnamed = { type: 'json_schema', json_schema: { name: 'x' } };
    expect(JSON.parse(content({ response_format: unnamed }))).toMatchObject(any);
  });

  test('choices and patterns are obeyed', () => {
    expect(['yes', 'no']).toContain(content({ structured_outputs: { choice: ['yes', 'no'] } }));
    expect(['yes', 'no']).toContain(content({ guided_choice: ['yes', 'no'] }));
    expect(content({ guided_regex: '^[ab]{3}$' })).toMatch(/^[ab]{3}$/);
  });

  test('the text of the @sim line has priority over the format', () => {
    const body = ask('@sim {"text": "not json"}', { response_format: { type: 'json_object' } });
    expect(simulatedAnswer(body).content).toBe('not json');
  });

  test('a schema that cannot be used is refused without repeating it', () => {
    const withSchema = (broken: unknown) =>
      refusalOf(
        ask('hi', {
          response_format: { type: 'json_schema', json_schema: { name: 'x', schema: broken } },
        }),
      );
    expect(withSchema({ type: 'secret' })).toMatchObject({ code: 400, param: 'response_format' });
    expect(withSchema(false)?.message).toContain('cannot make');
    expect(JSON.stringify(withSchema({ type: 'secret' }))).not.toContain('secret');
    expect(refusalOf(ask('hi', { guided_regex: '(?=a)' }))?.message).toContain(
      '`guided_regex` is not supported',
    );
    expect(refusalOf(ask('hi', { guided_json: '{' }))?.message).toContain('not a JSON Schema');
  });
});

describe('refusals', () => {
  test('an unknown model', () => {
    expect(refusalOf({ model: 'nobody', messages: [user('hi')] })).toEqual({
      message: 'The model `nobody` does not exist.',
      type: 'NotFoundError',
      param: 'model',
      code: 404,
    });
  });

  test.each([
    ['no messages', { model: 'sluice-demo', messages: [] }, 'body.messages'],
    ['not an object', 'hi', 'body'],
    [
      'an image',
      ask('hi', { messages: [user([{ type: 'image_url', image_url: 'secret' }])] }),
      'body.messages.0.content',
    ],
    ['two choices', ask('hi', { n: 2 }), 'body.n'],
    ['no tools in a list', ask('hi', { tools: [] }), 'body.tools'],
    [
      'stream options alone',
      ask('hi', { stream_options: { include_usage: true } }),
      'stream_options',
    ],
    ['a choice without tools', ask('hi', { tool_choice: 'auto' }), 'tool_choice'],
    [
      'a choice of no tool',
      ask('hi', { tools: [clock], tool_choice: { function: { name: 'x' } } }),
      'tool_choice',
    ],
  ])('%s', (_title, body, param) => {
    expect(refusalOf(body)).toMatchObject({ code: 400, param, type: 'BadRequestError' });
    expect(JSON.stringify(refusalOf(body))).not.toContain('secret');
  });

  test('a status of the @sim line', () => {
    expect(refusalOf(ask('@sim {"status": 429}'))).toMatchObject({
      code: 429,
      type: 'Too Many Requests',
    });
  });

  test('a prompt longer than the context', () => {
    expect(refusalOf(ask('word '.repeat(270_000)))?.message).toContain(
      'maximum context length is 262144',
    );
    expect(refusalOf(ask('hi', { max_tokens: 262_144 }))?.param).toBe('input_tokens');
    expect(refusalOf(ask('hi', { max_tokens: 262_145 }))?.param).toBe('max_tokens');
  });
});
