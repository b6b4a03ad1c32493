import { BLOCK_ENDS } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { promptPrefix } from './prompt-blocks.ts';
import type { ChatCompletionRequest } from './schema/request.ts';

type Prompt = Pick<ChatCompletionRequest, 'model' | 'messages' | 'tools'>;

const system = { role: 'system' as const, content: 'Keep to the point. '.repeat(50) };
const user = { role: 'user' as const, content: 'What is new? '.repeat(30) };
const first: Prompt = { model: 'large', messages: [system, user] };

function hashesOf(prompt: Prompt, organization = 'acme'): number[] {
  return [...promptPrefix(prompt, { organization, inputTokens: 10 }).hashes];
}

describe('the blocks of a prompt', () => {
  test('stay the same from turn to turn', () => {
    const answer = { role: 'assistant' as const, content: 'Nothing. '.repeat(60) };
    const next = { ...first, messages: [system, user, answer, { ...user, content: 'And now?' }] };
    const blocks = hashesOf(first);
    expect(blocks).toHaveLength(5);
    expect(hashesOf(next).slice(0, 5)).toEqual(blocks);
    expect(hashesOf(next).length).toBeGreaterThan(5);
  });

  test('are shared up to where two prompts differ', () => {
    const other = { ...first, messages: [system, { ...user, content: 'x'.repeat(400) }] };
    expect(hashesOf(other).slice(0, 3)).toEqual(hashesOf(first).slice(0, 3));
    expect(hashesOf(other)[3]).not.toBe(hashesOf(first)[3]);
  });

  test('do not depend on how text is divided into parts', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 3_000, size: 'max' });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        const parts = texts.map((part) => ({ type: 'text' as const, text: part }));
        const whole = { ...first, messages: [{ ...user, content: texts.join('') }] };
        const divided = { ...first, messages: [{ ...user, content: parts }] };
        expect(hashesOf(divided)).toEqual(hashesOf(whole));
      }),
    );
  });

  const call = (text: string) => ({
    role: 'assistant' as const,
    tool_calls: [
      { id: 'call_1', type: 'function' as const, function: { name: 'find', arguments: text } },
    ],
  });
  const tool = (name: string) => ({ type: 'function' as const, function: { name } });

  test.each([
    ['another beginning', { ...first, messages: [{ ...system, content: `A${system.content}` }] }],
    ['another role', { ...first, messages: [{ ...system, role: 'user' as const }] }],
    ['another model', { ...first, model: 'small' }],
    ['tools', { ...first, tools: [tool('find')] }],
    ['an earlier call of a tool', { ...first, messages: [call('{}'), system] }],
  ])('differ from the first block on for %s', (_what, prompt) => {
    expect(hashesOf(prompt)[0]).not.toBe(hashesOf(first)[0]);
  });

  test('depend on the names and arguments of tools', () => {
    const withCall = (text: string) => hashesOf({ ...first, messages: [call(text), system] })[0];
    const withTool = (name: string) => hashesOf({ ...first, tools: [tool(name)] })[0];
    expect(withCall('{"a":1}')).not.toBe(withCall('{"a":2}'));
    expect(withTool('find')).not.toBe(withTool('read'));
  });

  test('differ for each organization', () => {
    const own = new Set(hashesOf(first));
    expect(hashesOf(first, 'other').some((hash) => own.has(hash))).toBe(false);
  });

  test('are few for the largest prompt, and absent for a short one', () => {
    const withText = (length: number) =>
      hashesOf({ model: 'large', messages: [{ role: 'user', content: 'ü'.repeat(length) }] });
    expect(withText(255)).toEqual([]);
    expect(withText(256)).toHaveLength(1);
    expect(withText(64 * 1_024 * 1_024)).toHaveLength(BLOCK_ENDS.length);
  });

  test('come with the estimated tokens per character', () => {
    const prompt = { model: 'large', messages: [{ role: 'user' as const, content: 'Hello' }] };
    const options = { organization: 'acme', inputTokens: 10 };
    expect(promptPrefix(prompt, options).tokensPerCharacter).toBe(2);
    const empty = { ...prompt, messages: [{ role: 'user' as const, content: '' }] };
    expect(promptPrefix(empty, options).tokensPerCharacter).toBe(10);
  });
});
