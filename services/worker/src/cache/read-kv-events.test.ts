import { encode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import { readCacheMessage } from './read-kv-events.ts';

function messageOf(batch: unknown, sequence = 7n): Buffer[] {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(sequence);
  return [Buffer.alloc(0), number, Buffer.from(encode(batch, { useBigInt64: true }))];
}

const HASH = 0xfedc_ba98_7654_3210n;
const NUMBER = 0x3654_3210;
const place = { medium: 'GPU', group: 0 };
const storedEvent = { kind: 'stored', blocks: [NUMBER], tokensOfBlock: 16, keepsAll: true, place };

test.each<[string, unknown]>([
  ['of vLLM 0.11: arrays', [1.5, [['BlockStored', [HASH], null, [1, 2], 16, null, 'GPU']], 0]],
  [
    'of vLLM 0.25: maps in an array',
    [1.5, [{ type: 'BlockStored', block_hashes: [HASH], block_size: 16, medium: 'GPU' }], 0],
  ],
  [
    'of its main branch: maps',
    {
      ts: 1.5,
      events: [
        {
          type: 'BlockStored',
          block_hashes: [HASH],
          block_size: 16,
          medium: 'GPU',
          kv_cache_spec_kind: 'full_attention',
        },
      ],
    },
  ],
])('a stored block is read from the events %s', (_, batch) => {
  expect(readCacheMessage(messageOf(batch))).toEqual({ sequence: 7, events: [storedEvent] });
});

test('removed blocks and an emptied cache are read, with the group of layers', () => {
  const events = [
    ['BlockRemoved', [HASH, 5], 'CPU', 2],
    { type: 'BlockRemoved', block_hashes: [Buffer.alloc(32, 1)], medium: null },
    ['AllBlocksCleared'],
    ['SomethingNew', 1],
  ];
  expect(readCacheMessage(messageOf([1.5, events]))?.events).toEqual([
    { kind: 'removed', blocks: [NUMBER, 5], place: { medium: 'CPU', group: 2 } },
    { kind: 'removed', blocks: [0x0101_0101], place: { medium: '', group: 0 } },
    { kind: 'cleared' },
  ]);
});

test('layers that keep only the last tokens are marked', () => {
  const event = { type: 'BlockStored', block_hashes: [1], block_size: 16 };
  const kinds = ['full_attention', 'mla_attention', 'sliding_window', 'mamba'];
  const events = kinds.map((kind) => ({ ...event, kv_cache_spec_kind: kind }));
  expect(readCacheMessage(messageOf([1.5, events]))?.events).toMatchObject([
    { keepsAll: true },
    { keepsAll: true },
    { keepsAll: false },
    { keepsAll: false },
  ]);
});

test('a message that is no batch of events is ignored', () => {
  expect(readCacheMessage([Buffer.from('topic')])).toBeUndefined();
  expect(readCacheMessage([Buffer.alloc(0), Buffer.alloc(8), Buffer.from([0xc1])])).toBeUndefined();
  expect(readCacheMessage(messageOf('text'))?.events).toEqual([]);
});
