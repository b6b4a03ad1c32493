import { describe, expect, it } from 'vitest';
import type { Message } from './message.ts';
import { type ModelFault, validateAgainstModel } from './model-rules.ts';

const user: Message = { role: 'user', content: 'Hello' };
const calls = (...ids: string[]) =>
  ids.map((id) => ({ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } }));

type Model = Parameters<typeof validateAgainstModel>[1];
type Request = Partial<Parameters<typeof validateAgainstModel>[0]>;

function faultOf(request: Request, model: Partial<Model>): ModelFault | undefined {
  return validateAgainstModel(
    { model: 'm', messages: [user], ...request },
    { reasoning_history: 'optional', ...model },
  );
}

describe('reasoning effort', () => {
  const reasoning = { supported_efforts: ['low', 'high'], default_effort: 'low', mandatory: true };

  it.each([
    [{ reasoning_effort: 'high' }, { reasoning }],
    [{}, { reasoning }],
    [{ reasoning_effort: 'anything' }, {}],
  ])('%j is accepted by %j', (request, model) => {
    expect(faultOf(request, model)).toBeUndefined();
  });

  it.each(['SECRET', 'lo', 'low, high'])('%j is an unsupported value', (effort) => {
    expect(faultOf({ reasoning_effort: effort }, { reasoning })).toEqual({
      code: 'unsupported_value',
      param: 'reasoning_effort',
      message: 'reasoning_effort must be one of low, high for this model.',
    });
  });
});

describe('reasoning history', () => {
  const plain: Message = { role: 'assistant', content: 'Hi.' };

  it.each<[string, Message]>([
    ['a turn without reasoning', plain],
    [
      'a step whose call was returned with reasoning',
      { role: 'assistant', tool_calls: calls('call_r1') },
    ],
    ['a step with one such call', { role: 'assistant', tool_calls: calls('call_n1', 'call_r1') }],
    ['a call id of another service', { role: 'assistant', tool_calls: calls('call_1') }],
  ])('is required of %s', (_title, message) => {
    const fault = faultOf({ messages: [user, message] }, { reasoning_history: 'required' });
    expect(fault).toMatchObject({
      code: 'missing_required_parameter',
      param: 'messages[1].reasoning_content',
    });
    expect(fault?.message).toContain('messages[1].reasoning_content');
  });

  it.each<[string, Message]>([
    ['a turn with reasoning', { ...plain, reasoning_content: 'r' }],
    ['a turn with empty reasoning', { ...plain, reasoning_content: '' }],
    [
      'a step returned without reasoning',
      { role: 'assistant', tool_calls: calls('call_n1', 'call_n2') },
    ],
  ])('is satisfied by %s', (_title, message) => {
    expect(
      faultOf({ messages: [user, message] }, { reasoning_history: 'required' }),
    ).toBeUndefined();
  });

  it('is not required if it is optional for the model', () => {
    expect(faultOf({ messages: [user, plain] }, {})).toBeUndefined();
  });
});

describe('requested output', () => {
  const model = { context_length: 1000, max_output_tokens: 400 };

  it.each([
    [{ max_tokens: 400 }, model],
    [{ max_completion_tokens: 400 }, model],
    [{ max_tokens: 999 }, { context_length: 1000 }],
    [{ max_tokens: 1_000_000 }, {}],
    [{ max_tokens: 1e300 }, {}],
    [{}, model],
  ])('%j fits %j', (request, limits) => {
    expect(faultOf(request, limits)).toBeUndefined();
  });

  it.each([
    [{ max_tokens: 401 }, 'max_tokens'],
    [{ max_completion_tokens: 999 }, 'max_completion_tokens'],
  ])('%j exceeds the maximum output of the model', (request, param) => {
    expect(faultOf(request, model)).toEqual({
      code: 'invalid_value',
      param,
      message: `${param} must be at most 400 for this model.`,
    });
  });

  it.each([
    { max_tokens: 1000 },
    { max_completion_tokens: 5000 },
    { max_tokens: 1e17 },
    { max_completion_tokens: 1e300 },
  ])('%j alone reaches the context length', (request) => {
    const fault = faultOf(request, model);
    expect(fault).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    expect(fault?.message).toMatch(/^This model's maximum context length is 1000 tokens/);
  });
});

describe('a request with several faults that depend on the model', () => {
  const reasoning = { supported_efforts: ['low'], mandatory: false };
  const messages: Message[] = [{ role: 'assistant', content: 'Hi.' }];

  it('gets the first of the parameter table', () => {
    const model: Model = {
      reasoning,
      reasoning_history: 'required',
      context_length: 10,
      max_output_tokens: 5,
    };
    const request = { messages, max_tokens: 7, reasoning_effort: 'high' };
    expect(faultOf(request, model)?.param).toBe('messages[0].reasoning_content');
    expect(faultOf({ ...request, messages: [user] }, model)?.param).toBe('max_tokens');
    expect(faultOf({ messages: [user], reasoning_effort: 'high' }, model)?.param).toBe(
      'reasoning_effort',
    );
  });
});
