import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BLOCK_ENDS,
  MAX_ENCODED_BLOCKS,
  decodeBlockHashes,
  encodeBlockHashes,
} from './prefix-blocks.ts';

test('the blocks of the largest prompt are few, and none is longer than an eighth of the text before it', () => {
  expect(BLOCK_ENDS.length).toBeLessThan(120);
  for (const [index, end] of BLOCK_ENDS.entries()) {
    const start = BLOCK_ENDS[index - 1] ?? 0;
    expect(end - start).toBeLessThanOrEqual(Math.max(256, start / 8));
    expect(end - start).toBeGreaterThanOrEqual(256);
  }
  expect(BLOCK_ENDS.at(-1)).toBeGreaterThan(56 * 1_024 * 1_024);
});

test('hashes are the same after they were encoded and decoded', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: BLOCK_ENDS.length }), (hashes) => {
      const text = encodeBlockHashes(hashes);
      expect(text.length).toBeLessThanOrEqual(MAX_ENCODED_BLOCKS);
      expect([...decodeBlockHashes(text)]).toEqual(hashes.map((hash) => hash | 0));
    }),
  );
});

test('invalid text is decoded as far as possible', () => {
  expect(decodeBlockHashes('')).toHaveLength(0);
  expect(decodeBlockHashes('AQAAAAE=')).toEqual(Int32Array.of(1));
  expect(decodeBlockHashes('!!')).toHaveLength(0);
});
