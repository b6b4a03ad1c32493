import { describe, expect, it } from 'vitest';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { readChunk } from './read-chunk.ts';

const read = (delta: object) => readChunk(JSON.stringify({ choices: [{ index: 0, delta }] }));
const text = (words: string) => ({ type: 'text', text: words });

describe('content in parts', () => {
  it.each([
    ['text', [text('Hel'), text('lo')], { reasoning: '', content: 'Hello' }],
    ['thoughts', [{ type: 'thinking', thinking: [text('H'), text('m')] }], { reasoning: 'Hm' }],
    [
      'nested thoughts',
      [{ type: 'thinking', thinking: [{ type: 'thinking', thinking: 'H' }, text('m')] }],
      { reasoning: 'Hm' },
    ],
    ['thoughts in a string', [{ type: 'thinking', thinking: 'Hm' }], { reasoning: 'Hm' }],
    [
      'both',
      [{ type: 'thinking', thinking: [text('Hm')] }, text('Hi')],
      { reasoning: 'Hm', content: 'Hi' },
    ],
    ['none', [], { reasoning: '', content: '' }],
  ])('is read: %s', (_, content, said) => {
    expect(read({ content })).toMatchObject(said);
  });

  it('is combined with thoughts in a separate field', () => {
    expect(
      read({ reasoning_content: 'H', content: [{ type: 'thinking', thinking: 'm' }] }),
    ).toEqual(expect.objectContaining({ reasoning: 'Hm', content: '' }));
  });
});

describe('a call', () => {
  const called = { name: 'f', arguments: '{}' };

  it.each([
    ['in a list', { tool_calls: [{ function: called }] }],
    ['without a list', { tool_calls: { function: called } }],
    ['in the older form', { tool_calls: null, function_call: called }],
    ['in both forms', { tool_calls: [{ function: called }], function_call: called }],
  ])('is read once: %s', (_, delta) => {
    expect(read(delta).calls).toEqual([{ index: undefined, id: undefined, ...called }]);
  });
});

describe('output that cannot be represented in the API', () => {
  it.each([
    { content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
    { content: [{ type: 'thinking', thinking: [{ type: 'reference', reference_ids: [1] }] }] },
    { content: ['Hi'] },
    { content: { text: 'Hi' } },
    { content: 42 },
    { reasoning: { text: 'Hm' } },
    { refusal: 'I cannot do that.' },
  ])('is an error: %j', (delta) => {
    expect(() => read(delta)).toThrow(AttemptFailure.invalidOutput());
  });

  it('does not include fields that are null', () => {
    expect(read({ content: null, reasoning: null, refusal: null })).toMatchObject({
      reasoning: '',
      content: '',
    });
  });
});
