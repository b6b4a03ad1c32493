import { refuses, type Case, type CaseGroup } from './case.ts';
import { answer, call, calling, takes, user, type Messages } from './messages.ts';
import type { SentenceId } from './sentences.ts';
import { SHORT } from './world.ts';

function rejects(
  title: string,
  proves: readonly SentenceId[],
  messages: Messages,
  param: string,
  code = 'invalid_value',
): Case {
  return refuses(title, proves, { messages }, { param, code });
}

const content: Case[] = [
  ...['system', 'developer', 'user'].flatMap((role) => [
    takes(`a ${role} message of text`, ['I42'], [{ role, content: 'Be brief.' }, user]),
    takes(
      `a ${role} message of parts`,
      ['I42', 'I4'],
      [
        {
          role,
          content: [
            { type: 'text', text: 'Be' },
            { type: 'text', text: 'brief.' },
          ],
        },
        user,
      ],
    ),
    takes(`a name on a ${role} message`, ['D31'], [{ role, content: 'x', name: 'somebody' }, user]),
    rejects(
      `a ${role} message without content`,
      ['D15'],
      [{ role }],
      'messages[0].content',
      'missing_required_parameter',
    ),
    rejects(`a ${role} message of null`, ['I42'], [{ role, content: null }], 'messages[0].content'),
    rejects(
      `a ${role} message of a number`,
      ['I42'],
      [{ role, content: 7 }],
      'messages[0].content',
    ),
  ]),
  takes(
    'other fields of a text part',
    ['D30'],
    [
      {
        role: 'user',
        content: [{ type: 'text', text: SHORT, cache_control: { type: 'ephemeral' } }],
      },
    ],
  ),
  ...['image_url', 'input_audio', 'file', 'video', 'Text'].map((type) =>
    rejects(
      `a part of type ${type}`,
      ['I4', 'D30', 'I91', 'D14'],
      [
        user,
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type, [type]: {} },
          ],
        },
      ],
      'messages[1].content[1].type',
    ),
  ),
  rejects(
    'a text part without text',
    ['D15', 'D14'],
    [{ role: 'user', content: [{ type: 'text' }] }],
    'messages[0].content[0].text',
    'missing_required_parameter',
  ),
  rejects(
    'a message without a role',
    ['D15'],
    [{ content: 'x' }],
    'messages[0].role',
    'missing_required_parameter',
  ),
  rejects('an unknown role', ['I91'], [{ role: 'robot', content: 'x' }], 'messages[0].role'),
  rejects('a message that is text', ['I91'], ['x'], 'messages[0]'),
  rejects('a message that is null', ['I91'], [null], 'messages[0]'),
  rejects(
    'an unknown field of a message',
    ['D35'],
    [{ role: 'user', content: 'x', colour: 'red' }],
    'messages[0].colour',
    'unsupported_parameter',
  ),
  rejects(
    'reasoning on a user message',
    ['D35'],
    [{ role: 'user', content: 'x', reasoning_content: 'y' }],
    'messages[0].reasoning_content',
    'unsupported_parameter',
  ),
];

const assistant: Case[] = [
  takes(
    'an assistant message of text',
    ['I43'],
    [user, { role: 'assistant', content: 'Yes.' }, user],
  ),
  takes(
    'an assistant message of parts',
    ['I43'],
    [user, { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }, user],
  ),
  takes(
    'an assistant message of null',
    ['I43', 'D33'],
    [user, { role: 'assistant', content: null }, user],
  ),
  takes(
    'an assistant message with its reasoning',
    ['I43'],
    [user, { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' }, user],
  ),
  takes(
    'an assistant message with empty tool_calls',
    ['D26'],
    [user, { role: 'assistant', content: 'Yes.', tool_calls: [] }, user],
  ),
  ...['refusal', 'audio', 'function_call', 'annotations'].flatMap((field) => [
    takes(
      `${field}: null, sent back`,
      ['D32'],
      [user, { role: 'assistant', content: 'Yes.', [field]: null }, user],
    ),
    rejects(
      `${field} that says something`,
      ['D32', 'D35'],
      [user, { role: 'assistant', content: 'Yes.', [field]: { a: 1 } }, user],
      `messages[1].${field}`,
      'unsupported_parameter',
    ),
  ]),
  takes(
    'annotations: [], sent back',
    ['D32'],
    [user, { role: 'assistant', content: 'Yes.', annotations: [] }, user],
  ),
  takes(
    'calls without content',
    ['D33', 'I45'],
    [user, { role: 'assistant', tool_calls: [call('a')] }, answer('a')],
  ),
  takes(
    'calls with empty content',
    ['D33'],
    [user, { role: 'assistant', content: '', tool_calls: [call('a')] }, answer('a')],
  ),
  takes(
    'calls with an index, as they were streamed',
    ['D34'],
    [
      user,
      { role: 'assistant', content: null, tool_calls: [{ ...call('a'), index: 0 }] },
      answer('a'),
    ],
  ),
  ...['', '{"city": "Kö', '[1]', 'null', 'Köln'].map((text) =>
    takes(
      `arguments ${JSON.stringify(text)}, sent back`,
      ['I43', 'D38'],
      [
        user,
        {
          role: 'assistant',
          tool_calls: [{ ...call('a'), function: { name: 'look_up', arguments: text } }],
        },
        answer('a'),
      ],
    ),
  ),
  rejects(
    'a call without an id',
    ['I45', 'D15'],
    [user, { role: 'assistant', tool_calls: [{ ...call('a'), id: undefined }] }],
    'messages[1].tool_calls[0].id',
    'missing_required_parameter',
  ),
  rejects(
    'a call of another type',
    ['I45'],
    [user, { role: 'assistant', tool_calls: [{ ...call('a'), type: 'custom' }] }],
    'messages[1].tool_calls[0].type',
  ),
  rejects(
    'arguments that are an object',
    ['I45', 'D14'],
    [
      user,
      { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'x', arguments: {} } }] },
    ],
    'messages[1].tool_calls[0].function.arguments',
  ),
];

const toolTurns: Case[] = [
  takes('an answered call', ['I44', 'D36'], [user, calling('a'), answer('a')]),
  takes('answers in any order', ['D36'], [user, calling('a', 'b'), answer('b'), answer('a'), user]),
  takes(
    'an answer of parts, with a name',
    ['D34', 'D31'],
    [
      user,
      calling('a'),
      { ...answer('a'), content: [{ type: 'text', text: 'x' }], name: 'look_up' },
    ],
  ),
  takes(
    'two rounds of calls',
    ['D36'],
    [user, calling('a'), answer('a'), calling('b'), answer('b')],
  ),
  rejects('an answer to nothing', ['D36'], [user, answer('a')], 'messages[1]'),
  rejects('an answer to another call', ['D36'], [user, calling('a'), answer('b')], 'messages[2]'),
  rejects(
    'a call answered twice',
    ['D36'],
    [user, calling('a'), answer('a'), answer('a')],
    'messages[3]',
  ),
  rejects(
    'an answer to a call of an earlier turn',
    ['D36'],
    [user, calling('a'), answer('a'), calling('b'), answer('a')],
    'messages[4]',
  ),
  rejects(
    'a call that is not answered before the next message',
    ['D36'],
    [user, calling('a', 'b'), answer('a'), user],
    'messages[3]',
  ),
  rejects(
    'an answer without the id of its call',
    ['I44', 'D15'],
    [user, calling('a'), { role: 'tool', content: 'x' }],
    'messages[2].tool_call_id',
    'missing_required_parameter',
  ),
  rejects(
    'an answer without content',
    ['I44', 'D15'],
    [user, calling('a'), { role: 'tool', tool_call_id: 'a' }],
    'messages[2].content',
    'missing_required_parameter',
  ),
  rejects(
    'an answer of null',
    ['I44'],
    [user, calling('a'), { ...answer('a'), content: null }],
    'messages[2].content',
  ),
];

export const messageCases: CaseGroup[] = [
  { section: 'content of messages', cases: content },
  { section: 'assistant messages', cases: assistant },
  { section: 'tool calls and their answers', cases: toolTurns },
];
