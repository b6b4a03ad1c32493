import { decode } from '@msgpack/msgpack';
import { isJsonObject, listOf, textOf } from '../json/json.ts';

/** A change of the prefix cache. The number of a block is made of the hash that vLLM gave it. */
export type CacheEvent =
  | {
      readonly kind: 'stored';
      readonly blocks: readonly number[];
      readonly tokensOfBlock: number;
      /** Whether the layers of this group keep all tokens, and not only the last ones. */
      readonly keepsAll: boolean;
      readonly place: CachePlace;
    }
  | { readonly kind: 'removed'; readonly blocks: readonly number[]; readonly place: CachePlace }
  | { readonly kind: 'cleared' };

interface CachePlace {
  /** For example `GPU`, or `CPU` for blocks that were moved to main memory. */
  readonly medium: string;
  /** The group of layers. Models with several kinds of attention have several groups. */
  readonly group: number;
}

/** A message of vLLM's publisher: a topic, a number that counts up, and the events of one step. */
export interface CacheMessage {
  readonly sequence: number;
  readonly events: readonly CacheEvent[];
}

/**
 * Reads a message of vLLM's publisher of cache events. Undefined if it is none. Batches and events are arrays or maps,
 * depending on the version: https://github.com/vllm-project/vllm/blob/main/vllm/distributed/kv_events.py
 */
export function readCacheMessage(parts: readonly Buffer[]): CacheMessage | undefined {
  const [, number, payload] = parts;
  if (number?.length !== 8 || payload === undefined) return undefined;
  let batch: unknown;
  try {
    batch = decode(payload, { useBigInt64: true });
  } catch {
    return undefined;
  }
  const events = listOf(isJsonObject(batch) ? batch['events'] : listOf(batch)[1]);
  return {
    sequence: Number(number.readBigUInt64BE()),
    events: events.map(readEvent).filter((event) => event !== undefined),
  };
}

/** The positions of the fields in an event that is an array. */
const STORED_FIELDS = {
  block_hashes: 1,
  block_size: 4,
  medium: 6,
  group_idx: 9,
  kv_cache_spec_kind: 10,
} as const;
const REMOVED_FIELDS = { block_hashes: 1, medium: 2, group_idx: 3 } as const;

/** Kinds of layers that forget early tokens even while the cache has room. */
const PARTIAL_KINDS = /sliding|chunked|mamba/;

function readEvent(event: unknown): CacheEvent | undefined {
  const fieldsOf = (places: Readonly<Record<string, number>>) => (name: string) =>
    isJsonObject(event) ? event[name] : listOf(event)[places[name] ?? -1];
  const type = textOf(isJsonObject(event) ? event['type'] : listOf(event)[0]);
  switch (type) {
    case 'BlockStored': {
      const field = fieldsOf(STORED_FIELDS);
      const tokensOfBlock = Number(field('block_size'));
      if (!Number.isSafeInteger(tokensOfBlock)) return undefined;
      const keepsAll = !PARTIAL_KINDS.test(textOf(field('kv_cache_spec_kind')) ?? '');
      const blocks = blocksOf(field);
      return { kind: 'stored', blocks, tokensOfBlock, keepsAll, place: placeOf(field) };
    }
    case 'BlockRemoved': {
      const field = fieldsOf(REMOVED_FIELDS);
      return { kind: 'removed', blocks: blocksOf(field), place: placeOf(field) };
    }
    case 'AllBlocksCleared':
      return { kind: 'cleared' };
    default:
      return undefined;
  }
}

type Field = (name: string) => unknown;

function placeOf(field: Field): CachePlace {
  const group = field('group_idx');
  return {
    medium: textOf(field('medium')) ?? '',
    group: typeof group === 'number' ? group : 0,
  };
}

function blocksOf(field: Field): number[] {
  return listOf(field('block_hashes'))
    .map(numberOf)
    .filter((block) => block !== undefined);
}

/**
 * V8 stores integers of up to 31 bits without memory of their own (https://v8.dev/blog/pointer-compression). If two
 * blocks get the same number, only the count of tokens is slightly wrong.
 */
const NUMBER_BITS = 30;
const NUMBER_MASK = 2 ** NUMBER_BITS - 1;

/** A hash is an integer of 64 bits or, for SHA-256, 32 bytes. */
function numberOf(hash: unknown): number | undefined {
  if (typeof hash === 'bigint') return Number(BigInt.asUintN(NUMBER_BITS, hash));
  if (typeof hash === 'number') return hash & NUMBER_MASK;
  if (!(hash instanceof Uint8Array) || hash.length < 4) return undefined;
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0) & NUMBER_MASK;
}
