import { SHORT, STRICT_MODEL } from '../conformance/world.ts';
import { Completions, PLAIN, type Keys, type RecordedRequest } from './recorded-request.ts';

const BODY = JSON.stringify(PLAIN);

const BODIES: readonly (readonly [title: string, body: string | Uint8Array])[] = [
  ['a word', 'hello'],
  ['half an object', BODY.slice(0, -1)],
  ['two objects', BODY + BODY],
  ['a trailing comma', '{"model": "x",}'],
  ['single quotes', "{'model': 'x'}"],
  ['a byte order mark', `\uFEFF${BODY}`],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['UTF-16', Buffer.from(BODY, 'utf16le')],
  ['a NUL', new Uint8Array([0])],
  ['null', 'null'],
  ['a list', '[]'],
  ['a number', '7'],
  ['true', 'true'],
  ['an empty object', '{}'],
  ['white space around it', ` \n\t${BODY}\r\n `],
  [
    'a duplicate key, the last one good',
    BODY.replace('{', '{"temperature": 9, "temperature": 1, '),
  ],
  ['a duplicate key, the last one bad', BODY.replace('{', '{"temperature": 1, "temperature": 9, ')],
  ['__proto__', BODY.replace('{', '{"__proto__": {}, ')],
  ['a number that is too large', BODY.replace('{', '{"temperature": 1e400, ')],
  ['minus zero', BODY.replace('{', '{"temperature": -0, ')],
  ['an integer with a fraction of zero', BODY.replace('{', '{"max_tokens": 16.0, ')],
  ['a deep list', BODY.replace('{', `{"tools": ${'['.repeat(100)}${']'.repeat(100)}, `)],
  ['a deep list without an end', '['.repeat(5_000)],
  ['a name with an escape', BODY.replace('model', '\\u006dodel')],
  ['a lone surrogate', BODY.replace('Hello', '\\ud800')],
];

const user = { role: 'user', content: SHORT };
const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
  ...more,
});
const asked = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const answer = (id: string, content: unknown = 'done') => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

const HISTORIES: readonly (readonly [title: string, messages: readonly unknown[]])[] = [
  ['a system message', [{ role: 'system', content: 'Be short.' }, user]],
  ['a developer message', [{ role: 'developer', content: 'Be short.' }, user]],
  ['an unknown role', [{ role: 'robot', content: 'x' }]],
  ['no role', [{ content: 'x' }]],
  ['no content', [{ role: 'user' }]],
  ['null content', [{ role: 'user', content: null }]],
  ['a numeric content', [{ role: 'user', content: 7 }]],
  ['text parts', [{ role: 'user', content: [{ type: 'text', text: SHORT }] }]],
  [
    'a text part with more fields',
    [{ role: 'user', content: [{ type: 'text', text: SHORT, cache_control: {} }] }],
  ],
  ['a text part without text', [{ role: 'user', content: [{ type: 'text' }] }]],
  ['an image', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]],
  ['audio', [{ role: 'user', content: [{ type: 'input_audio' }] }]],
  ['a file', [{ role: 'user', content: [{ type: 'file' }] }]],
  ['no parts', [{ role: 'user', content: [] }]],
  ['a name', [{ ...user, name: 'ada' }]],
  ['a numeric name', [{ ...user, name: 7 }]],
  ['an unknown field', [{ ...user, mood: 'good' }]],
  ['an answer in the history', [user, { role: 'assistant', content: 'Hi' }, user]],
  ['an assistant without content', [user, { role: 'assistant' }, user]],
  ['an assistant with null content', [user, { role: 'assistant', content: null }, user]],
  [
    'an assistant that refused nothing',
    [user, { role: 'assistant', content: 'Hi', refusal: null }, user],
  ],
  ['an assistant that refused', [user, { role: 'assistant', content: 'Hi', refusal: 'no' }, user]],
  [
    'an assistant with reasoning',
    [user, { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, user],
  ],
  ['numeric reasoning', [user, { role: 'assistant', content: 'Hi', reasoning_content: 7 }, user]],
  ['a call and its answer', [user, asked('c1'), answer('c1'), user]],
  ['two calls, answered in turn', [user, asked('c1', 'c2'), answer('c2'), answer('c1')]],
  ['two calls, one answered', [user, asked('c1', 'c2'), answer('c1'), user]],
  ['a call that is not answered', [user, asked('c1'), user]],
  ['a call that is answered twice', [user, asked('c1'), answer('c1'), answer('c1')]],
  ['an answer to no call', [user, answer('c1')]],
  ['an answer to an unknown call', [user, asked('c1'), answer('c2')]],
  ['an answer without an id', [user, asked('c1'), { role: 'tool', content: 'x' }]],
  ['an answer of parts', [user, asked('c1'), answer('c1', [{ type: 'text', text: 'x' }]), user]],
  ['a call without an id', [user, { ...asked(), tool_calls: [{ ...call('x'), id: undefined }] }]],
  [
    'a call with an index',
    [user, { ...asked(), tool_calls: [call('c1', { index: 0 })] }, answer('c1')],
  ],
  ['a call of another type', [user, { ...asked(), tool_calls: [call('c1', { type: 'x' })] }]],
  [
    'a call with arguments that are an object',
    [user, { ...asked(), tool_calls: [call('c1', { function: { name: 'look', arguments: {} } })] }],
  ],
  [
    'a call with arguments that are no JSON',
    [
      user,
      { ...asked(), tool_calls: [call('c1', { function: { name: 'look', arguments: '{' } })] },
      answer('c1'),
      user,
    ],
  ],
  ['no calls', [user, { ...asked(), content: 'x', tool_calls: [] }, user]],
  ['two ids that are the same', [user, asked('c1', 'c1'), answer('c1')]],
];

/** Histories for a model that requires the reasoning of earlier answers. */
const STRICT_HISTORIES: readonly (readonly [title: string, messages: readonly unknown[]])[] = [
  ['no history', [user]],
  ['an answer without reasoning', [user, { role: 'assistant', content: 'Hi' }, user]],
  [
    'an answer with empty reasoning',
    [user, { role: 'assistant', content: 'Hi', reasoning_content: '' }, user],
  ],
  [
    'an answer with reasoning',
    [user, { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, user],
  ],
  ['a call of the model without reasoning', [user, asked('call_nabc'), answer('call_nabc'), user]],
  ['a call of the model that had reasoning', [user, asked('call_rabc'), answer('call_rabc'), user]],
];

export function bodyRequests({ served }: Keys): RecordedRequest[] {
  const completions = new Completions(served);
  return [
    ...BODIES.map(([title, body]) => completions.body(`body: ${title}`, body)),
    ...HISTORIES.map(([title, messages]) =>
      completions.changed(`messages: ${title}`, { messages }),
    ),
    ...HISTORIES.map(([title, messages]) =>
      completions.changed(`messages, streamed: ${title}`, { messages, stream: true }),
    ),
    ...STRICT_HISTORIES.map(([title, messages]) =>
      completions.changed(`strict model: ${title}`, { model: STRICT_MODEL, messages }),
    ),
  ];
}
