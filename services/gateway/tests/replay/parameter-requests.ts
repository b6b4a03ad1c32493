import { Completions, REASONING, type Keys, type RecordedRequest } from './recorded-request.ts';

/** Each value is sent as the one change to a plain completion. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  model: ['', 7, null, 'nobody', 'suite/small', 'suite/bare', 'suite/gone', 'a'.repeat(300), {}],
  messages: [[], 'Hello', {}, null, [null], [[]], ['Hello'], [{}]],
  stream: [false, null, 'true', 1],
  stream_options: [{}, null, { include_usage: true }],
  temperature: [0, 2, 1.5, null, -0.1, 2.000_000_1, '1', true],
  top_p: [0, 1, 0.5, -0.001, 1.001, '1'],
  frequency_penalty: [-2, 2, -2.1, '0'],
  presence_penalty: [-2, 2, 3, false],
  seed: [0, -1, 16.0, 2 ** 63, 1.5, '1'],
  max_completion_tokens: [1, 5, null, 0, -1, 1.5, '5', 10_000_000],
  max_tokens: [1, 5, null, 0, 2.5, true, 10_000_000],
  stop: ['END', ['a', 'b', 'c', 'd'], null, '', [], ['a', ''], ['a', 'b', 'c', 'd', 'e'], 7],
  reasoning_effort: ['low', '', 'x'.repeat(65), 7, null],
  n: [1, null, 0, 2, '1'],
  logprobs: [false, null, true, 0],
  logit_bias: [{}, null, { 5: 1 }, [], 'x'],
  store: [false, null, true, 'false'],
  modalities: [['text'], null, [], ['audio'], 'text'],
  verbosity: ['medium', null, 'low', 1],
  service_tier: ['auto', 'default', null, 'flex', 1],
  parallel_tool_calls: [true, false, 'yes'],
  tool_choice: ['none', 'auto', 'required', { type: 'function', function: { name: 'x' } }],
  user: ['me', null],
  metadata: [{}],
  top_logprobs: [1],
  audio: [{}],
  prediction: [{}],
  functions: [[]],
  constructor: [1],
  response_format: [
    null,
    'text',
    {},
    { type: 'text' },
    { type: 'json_object' },
    { type: 'xml' },
    { type: 'json_schema' },
    { type: 'json_schema', json_schema: { schema: {} } },
    { type: 'json_schema', json_schema: { name: 'no spaces', schema: {} } },
    { type: 'json_schema', json_schema: { name: 'any' } },
    { type: 'json_schema', json_schema: { name: 'flag', strict: true, schema: flagSchema() } },
    { type: 'json_schema', json_schema: { name: 'bad', schema: { type: 'nothing' } } },
    { type: 'json_schema', json_schema: { name: 'bad', schema: { $ref: '#/nowhere' } } },
  ],
};

function flagSchema(): object {
  return {
    type: 'object',
    properties: { flag: { type: 'boolean' } },
    required: ['flag'],
    additionalProperties: false,
  };
}

const tool = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} }, ...more },
});

const TOOLS: readonly (readonly [title: string, change: Readonly<Record<string, unknown>>])[] = [
  ['no tools', { tools: [] }],
  ['null tools', { tools: null }],
  ['a tool', { tools: [tool('look')] }],
  ['a tool without parameters', { tools: [{ type: 'function', function: { name: 'look' } }] }],
  ['a tool of another type', { tools: [{ type: 'retrieval' }] }],
  ['a tool without a function', { tools: [{ type: 'function' }] }],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }],
  ['a tool with a bad name', { tools: [tool('no spaces')] }],
  ['a tool with a long name', { tools: [tool('x'.repeat(65))] }],
  ['two tools of one name', { tools: [tool('look'), tool('look')] }],
  ['a strict tool', { tools: [tool('look', { strict: true })] }],
  ['a tool whose strict is a word', { tools: [tool('look', { strict: 'yes' })] }],
  ['a tool with a description', { tools: [tool('look', { description: 'Looks.' })] }],
  ['a tool with a numeric description', { tools: [tool('look', { description: 7 })] }],
  ['128 tools', { tools: Array.from({ length: 128 }, (_, at) => tool(`t${String(at)}`)) }],
  ['129 tools', { tools: Array.from({ length: 129 }, (_, at) => tool(`t${String(at)}`)) }],
  ['a required tool', { tools: [tool('look')], tool_choice: 'required' }],
  ['a required tool, streamed', { tools: [tool('look')], tool_choice: 'required', stream: true }],
  ['no tool called', { tools: [tool('look')], tool_choice: 'none' }],
  ['an unknown choice', { tools: [tool('look')], tool_choice: 'some' }],
  ['a named tool', { tools: [tool('look')], tool_choice: named('look') }],
  ['a named tool, streamed', { tools: [tool('look')], tool_choice: named('look'), stream: true }],
  ['a named tool that is not there', { tools: [tool('look')], tool_choice: named('other') }],
  ['a choice without a name', { tools: [tool('look')], tool_choice: { type: 'function' } }],
  ['parallel calls', { tools: [tool('look')], parallel_tool_calls: true }],
  ['parallel calls as a word', { tools: [tool('look')], parallel_tool_calls: 'yes' }],
  ['both bounds', { max_tokens: 5, max_completion_tokens: 5 }],
  ['temperature beside top_p', { temperature: 1, top_p: 0.9 }],
  ['several faults', { temperature: 9, unheard_of: 1, top_p: 9 }],
];

function named(name: string): object {
  return { type: 'function', function: { name } };
}

const STREAMS: readonly (readonly [title: string, change: Readonly<Record<string, unknown>>])[] = [
  ['a stream', { stream: true }],
  ['a stream with usage', { stream: true, stream_options: { include_usage: true } }],
  ['a stream without padding', { stream: true, stream_options: { include_obfuscation: false } }],
  [
    'a stream with usage, without padding',
    { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
  ],
  ['a stream with an unknown option', { stream: true, stream_options: { unheard_of: 1 } }],
  ['a stream option as a word', { stream: true, stream_options: { include_usage: 'yes' } }],
  ['stream options as a list', { stream: true, stream_options: [] }],
  ['stream options without a stream', { stream: false, stream_options: {} }],
  ['a stream of ten tokens', { stream: true, ...says('{"tokens": 10}') }],
  ['a stream that is cut at its bound', { stream: true, max_tokens: 3, ...says('{"tokens": 9}') }],
  [
    'a stream of a text with quotes',
    { stream: true, ...says('{"text": "a \\"b\\" \\\\ c é 🙂"}') },
  ],
  ['a stream that the runtime refuses', { stream: true, ...says('{"status": 400}') }],
  ['a stream that fails at once', { stream: true, ...says('{"status": 500}') }],
  ['a stream that fails after two tokens', { stream: true, ...says('{"fail_after": 2}') }],
  ['a stream that breaks after two tokens', { stream: true, ...says('{"cut_after": 2}') }],
  ['a stream with a broken line', { stream: true, ...says('{"malformed_after": 2}') }],
  ['a stream of reasoning', { ...REASONING, stream: true }],
  [
    'a stream of reasoning with usage',
    { ...REASONING, stream: true, stream_options: { include_usage: true } },
  ],
  ['reasoning', { ...REASONING }],
  ['little reasoning', { ...REASONING, reasoning_effort: 'low' }],
  ['an effort that is not listed', { ...REASONING, reasoning_effort: 'none' }],
  ['ten tokens', says('{"tokens": 10}')],
  ['a reply without usage', says('{"usage": false, "tokens": 2}')],
  ['a reply that is cut at its bound', { max_tokens: 3, ...says('{"tokens": 9}') }],
  ['a reply that fails', says('{"status": 500}')],
  ['a reply that the runtime refuses', says('{"status": 400}')],
  ['a reply that ends for a filter', says('{"finish_reason": "content_filter"}')],
  ['a reply that breaks', says('{"cut_after": 2}')],
  [
    'a prompt beyond the context',
    { model: 'suite/small', messages: [user('word '.repeat(9_000))] },
  ],
  ['an output beyond the context', { model: 'suite/small', max_tokens: 2_000 }],
  ['an output beyond the model', { model: 'suite/small', max_tokens: 1_500 }],
  ['a model that has no worker', { model: 'suite/lonely' }],
];

function says(order: string): { messages: object[] } {
  return { messages: [user(`Hello\n@sim ${order}`)] };
}

function user(content: string): object {
  return { role: 'user', content };
}

export function parameterRequests({ served }: Keys): RecordedRequest[] {
  const completions = new Completions(served);
  return [
    ...Object.entries(VALUES).flatMap(([name, values]) =>
      values.map((value) =>
        completions.changed(`${name}: ${JSON.stringify(value).slice(0, 60)}`, { [name]: value }),
      ),
    ),
    ...[...TOOLS, ...STREAMS].map(([title, change]) => completions.changed(title, change)),
  ];
}
