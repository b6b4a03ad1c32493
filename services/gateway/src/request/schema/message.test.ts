import { describe, expect, it } from 'vitest';
import { verdictOn } from './request-fixture.ts';

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const part = (text: string) => ({ type: 'text', text });
const turn = (...ids: string[]) => ({ role: 'assistant', tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });
const user = { role: 'user', content: 'Hello' };

function verdictOnMessages(...messages: unknown[]) {
  return verdictOn({ model: 'm', messages });
}

function kept(...messages: unknown[]): unknown {
  const verdict = verdictOnMessages(...messages);
  if (!verdict.ok) expect.unreachable(verdict.fault.message);
  return verdict.request.messages;
}

function faultIn(...messages: unknown[]): [code: string, param: string] | 'none' {
  const verdict = verdictOnMessages(...messages);
  return verdict.ok ? 'none' : [verdict.fault.code, verdict.fault.param];
}

describe('a message', () => {
  it.each([
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Be brief.' },
    user,
    { role: 'user', content: '' },
    { role: 'user', content: [] },
    { role: 'user', content: [part('a'), part('')] },
    { role: 'system', content: [part('a')], name: 'operator' },
    { role: 'assistant', content: 'Hi.' },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: null },
    { role: 'assistant', content: [part('Hi.')], reasoning_content: 'They greet.' },
    { role: 'assistant', content: 'Hi.', reasoning_content: '', name: 'guide' },
    { role: 'assistant', content: null, tool_calls: [call('a')] },
    { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
    { role: 'assistant', content: [], tool_calls: [call('a')] },
    turn('a'),
  ])('is kept unchanged: %j', (message) => {
    expect(kept(message)).toEqual([message]);
  });

  it.each([
    [1, 'invalid_value', ''],
    [[], 'invalid_value', ''],
    [{ content: 'x' }, 'missing_required_parameter', '.role'],
    [{ role: null, content: 'x' }, 'invalid_value', '.role'],
    [{ role: 'function', content: 'x' }, 'invalid_value', '.role'],
    [{ role: 'constructor', content: 'x' }, 'invalid_value', '.role'],
    [{ role: 'user' }, 'missing_required_parameter', '.content'],
    [{ role: 'system', content: null }, 'invalid_value', '.content'],
    [{ role: 'user', content: 5 }, 'invalid_value', '.content'],
    [{ role: 'user', content: {} }, 'invalid_value', '.content'],
    [{ role: 'user', content: ['x'] }, 'invalid_value', '.content[0]'],
    [{ role: 'user', content: [part('a'), {}] }, 'missing_required_parameter', '.content[1].type'],
    [
      { role: 'user', content: [{ type: 'text' }] },
      'missing_required_parameter',
      '.content[0].text',
    ],
    [{ role: 'user', content: [{ type: 'text', text: 1 }] }, 'invalid_value', '.content[0].text'],
    [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
      'invalid_value',
      '.content[0].type',
    ],
    [{ role: 'user', content: [{ type: 'input_audio' }] }, 'invalid_value', '.content[0].type'],
    [{ role: 'user', content: [{ type: 'file' }] }, 'invalid_value', '.content[0].type'],
    [{ ...user, name: 1 }, 'invalid_value', '.name'],
    [{ ...user, refusal: null }, 'unsupported_parameter', '.refusal'],
    [{ ...user, tool_calls: [] }, 'unsupported_parameter', '.tool_calls'],
    [{ ...user, mood: 'x' }, 'unsupported_parameter', '.mood'],
    [{ ...user, constructor: 1 }, 'unsupported_parameter', '.constructor'],
    [
      JSON.parse('{"role":"user","content":"x","__proto__":{"name":"y"}}') as object,
      'unsupported_parameter',
      '.__proto__',
    ],
    [{ role: 'assistant' }, 'missing_required_parameter', '.content'],
    [{ role: 'assistant', tool_calls: [] }, 'missing_required_parameter', '.content'],
    [{ role: 'assistant', tool_calls: null }, 'missing_required_parameter', '.content'],
    [{ role: 'assistant', content: 1 }, 'invalid_value', '.content'],
    [
      { role: 'assistant', content: 'x', reasoning_content: 1 },
      'invalid_value',
      '.reasoning_content',
    ],
    [{ role: 'assistant', content: 'x', tool_calls: {} }, 'invalid_value', '.tool_calls'],
    [{ role: 'assistant', tool_calls: [1] }, 'invalid_value', '.tool_calls[0]'],
    [{ role: 'assistant', tool_calls: [{}] }, 'missing_required_parameter', '.tool_calls[0].id'],
    [
      { role: 'assistant', tool_calls: [{ ...call('a'), id: 1 }] },
      'invalid_value',
      '.tool_calls[0].id',
    ],
    [
      { role: 'assistant', tool_calls: [{ id: 'a', function: {} }] },
      'missing_required_parameter',
      '.tool_calls[0].type',
    ],
    [
      { role: 'assistant', tool_calls: [{ ...call('a'), type: 'custom' }] },
      'invalid_value',
      '.tool_calls[0].type',
    ],
    [
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] },
      'missing_required_parameter',
      '.tool_calls[0].function',
    ],
    [
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }] },
      'missing_required_parameter',
      '.tool_calls[0].function.arguments',
    ],
    [
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }],
      },
      'invalid_value',
      '.tool_calls[0].function.arguments',
    ],
    [{ role: 'assistant', content: 'x', refusal: 'No.' }, 'unsupported_parameter', '.refusal'],
    [{ role: 'assistant', content: 'x', audio: { id: 'a' } }, 'unsupported_parameter', '.audio'],
    [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } },
      'unsupported_parameter',
      '.function_call',
    ],
    [
      { role: 'assistant', content: 'x', annotations: [{}] },
      'unsupported_parameter',
      '.annotations',
    ],
    [
      { role: 'assistant', content: 'x', tool_call_id: 'a' },
      'unsupported_parameter',
      '.tool_call_id',
    ],
    [{ role: 'tool', content: 'x' }, 'missing_required_parameter', '.tool_call_id'],
    [{ role: 'tool', tool_call_id: 1, content: 'x' }, 'invalid_value', '.tool_call_id'],
    [{ role: 'tool', tool_call_id: 'a' }, 'missing_required_parameter', '.content'],
    [{ role: 'tool', tool_call_id: 'a', content: null }, 'invalid_value', '.content'],
  ])('%j is refused as %s at "%s"', (message, code, place) => {
    expect(faultIn(user, message)).toEqual([code, `messages[1]${place}`]);
  });

  it('names an unknown field in at most 256 characters', () => {
    expect(faultIn({ ...user, ['x'.repeat(300)]: 1 })).toEqual([
      'unsupported_parameter',
      `messages[0].${'x'.repeat(256)}`,
    ]);
  });

  it('drops fields without a meaning', () => {
    expect(
      kept({
        role: 'assistant',
        content: [{ ...part('Hi.'), cache_control: { type: 'ephemeral' } }],
        reasoning_content: null,
        tool_calls: [],
        name: null,
        refusal: null,
        audio: {},
        function_call: '',
        annotations: [],
      }),
    ).toEqual([{ role: 'assistant', content: [part('Hi.')] }]);
  });

  it('drops fields that a client added to its tool calls', () => {
    const { function: definition, ...rest } = call('a');
    const accumulated = { ...rest, index: 0, function: { ...definition, parsed_arguments: {} } };
    expect(kept({ role: 'assistant', content: null, tool_calls: [accumulated] })).toEqual([
      { role: 'assistant', content: null, tool_calls: [call('a')] },
    ]);
  });

  it('may be one of at most 10,000', () => {
    expect(faultIn(...Array.from({ length: 10_000 }, () => user))).toBe('none');
    expect(faultIn(...Array.from({ length: 10_001 }, () => user))).toEqual([
      'invalid_value',
      'messages',
    ]);
  });
});

describe('tool calls and their results', () => {
  it.each([
    [[turn('a'), result('a'), user]],
    [[turn('a', 'b'), result('b'), result('a'), user]],
    [[turn('a'), result('a'), turn('a'), result('a')]],
    [[turn('a'), result('a'), { role: 'assistant', content: 'Done.' }, user]],
    [[turn('a', 'a'), result('a'), result('a')]],
    [[turn('a', 'b'), result('a')]],
    [[turn('a')]],
  ])('are valid in %j', (messages) => {
    expect(faultIn(...messages)).toBe('none');
  });

  it.each([
    ['a result without a call', [user, result('a')], 1],
    ['a result of another call', [turn('a'), result('b')], 1],
    ['a second result', [turn('a'), result('a'), result('a')], 2],
    ['a result of an earlier turn', [turn('a'), result('a'), turn('b'), result('a')], 3],
    ['a result after the end of the turn', [turn('a'), result('a'), user, result('a')], 3],
    ['a call without a result', [turn('a', 'b'), result('a'), user], 2],
    ['a call without a result before the next turn', [turn('a'), turn('b')], 1],
    [
      'a third result of two calls with the same id',
      [turn('a', 'a'), result('a'), result('a'), result('a')],
      3,
    ],
    ['a prototype name as id', [turn('a'), result('constructor')], 1],
  ])('are refused: %s', (_title, messages, index) => {
    expect(faultIn(...messages)).toEqual(['invalid_value', `messages[${index}]`]);
  });
});
