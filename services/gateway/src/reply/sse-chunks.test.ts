import { ChatCompletionChunk } from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PaddingPool } from './padding.ts';
import { ChunkTemplate, PADDING_BLOCK, type SseChunk } from './sse-chunks.ts';

const identity = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'acme/"odd"\\model' };
const padded = new ChunkTemplate({ ...identity, padding: new PaddingPool() });
const bare = new ChunkTemplate({ ...identity, padding: undefined });

function parse(event: SseChunk): ChatCompletionChunk {
  const target = Buffer.alloc(event.size + 2);
  expect(event.write(target, 1)).toBe(event.size + 1);
  // Not a byte outside of the event.
  expect([target.at(0), target.at(-1)]).toEqual([0, 0]);
  const text = target.toString('utf8', 1, event.size + 1);
  expect(text.startsWith('data: ') && text.endsWith('\n\n')).toBe(true);
  return ChatCompletionChunk.parse(JSON.parse(text.slice('data: '.length, -2)));
}

describe('a chunk', () => {
  test('contains any delta unchanged and is padded to a whole number of blocks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (content) => {
        const body = Buffer.from(JSON.stringify({ content }));
        const event = padded.delta(body);
        expect(event.size % PADDING_BLOCK).toBe(0);
        const chunk = parse(event);
        expect(chunk).toMatchObject({ ...identity, usage: null });
        expect(chunk.choices).toEqual([{ index: 0, delta: { content }, finish_reason: null }]);
        expect(chunk.obfuscation).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(parse(bare.delta(body))).toEqual({ ...chunk, obfuscation: undefined });
      }),
    );
  });

  test('contains padding at any length', () => {
    for (let length = 0; length < PADDING_BLOCK; length += 1) {
      const event = padded.delta(Buffer.from(JSON.stringify({ content: 'x'.repeat(length) })));
      expect(event.size % PADDING_BLOCK).toBe(0);
      expect(parse(event).obfuscation).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }
  });

  test('is first the role, and last an empty delta with the finish reason', () => {
    expect(parse(padded.role()).choices[0]?.delta).toEqual({ role: 'assistant' });
    expect(parse(padded.finish('length')).choices).toEqual([
      { index: 0, delta: {}, finish_reason: 'length' },
    ]);
  });

  test('of usage has no choices', () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    };
    const event = padded.usage(Buffer.from(JSON.stringify(usage)));
    expect(event.size % PADDING_BLOCK).toBe(0);
    expect(parse(event)).toMatchObject({ choices: [], usage });
  });
});

describe('padding', () => {
  test('does not repeat itself over many refills of the pool', () => {
    const pool = new PaddingPool();
    const seen = new Set<string>();
    for (let count = 0; count < 2_000; count += 1) {
      const piece = Buffer.alloc(PADDING_BLOCK);
      expect(pool.write(piece, 0, PADDING_BLOCK)).toBe(PADDING_BLOCK);
      seen.add(piece.toString('latin1'));
    }
    expect(seen.size).toBe(2_000);
  });

  test('is complete if the pool runs out in the middle of a piece', () => {
    const pool = new PaddingPool();
    for (let count = 0; count < 1_000; count += 1) {
      const piece = Buffer.alloc(PADDING_BLOCK - 1);
      pool.write(piece, 0, piece.length);
      expect(piece.toString('latin1')).toMatch(/^[A-Za-z0-9_-]+$/);
    }
  });
});
