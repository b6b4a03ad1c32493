/**
 * The blocks of a prompt, for routing requests to workers whose prefix cache holds the beginning of their prompt. The
 * hash of a block covers the organization and all text up to the end of the block. It cannot be turned back into text.
 */
export interface PromptPrefix {
  /** The hashes of the whole blocks, from the beginning of the prompt. */
  readonly hashes: Int32Array;
  /** The estimated tokens of one character of this prompt. */
  readonly tokensPerCharacter: number;
}

const SMALLEST_BLOCK = 256;
/**
 * Except for the smallest blocks, a block is an eighth of the text before it. The number of blocks therefore grows with
 * the logarithm of the prompt's length.
 */
const GROWTH_DIVISOR = 8;
/** No request body is larger. */
const MAX_CHARACTERS = 64 * 1_024 * 1_024;

/** Where the blocks of every prompt end, in characters (UTF-16 units). */
export const BLOCK_ENDS: readonly number[] = blockEnds();

function blockEnds(): number[] {
  const ends: number[] = [];
  for (let end = SMALLEST_BLOCK; end <= MAX_CHARACTERS;) {
    ends.push(end);
    end += Math.max(SMALLEST_BLOCK, Math.floor(end / GROWTH_DIVISOR));
  }
  return ends;
}

const HASH_BYTES = 4;
/** The longest text that {@link encodeBlockHashes} returns for the hashes of one prompt. */
export const MAX_ENCODED_BLOCKS = 4 * Math.ceil((BLOCK_ENDS.length * HASH_BYTES) / 3);

/** The hashes as base64 of little-endian 32-bit numbers. */
export function encodeBlockHashes(hashes: Iterable<number> & { readonly length: number }): string {
  const bytes = Buffer.allocUnsafe(hashes.length * HASH_BYTES);
  let at = 0;
  for (const hash of hashes) at = bytes.writeInt32LE(hash, at);
  return bytes.toString('base64');
}

/** Ignores an incomplete hash at the end. */
export function decodeBlockHashes(text: string): Int32Array {
  const bytes = Buffer.from(text, 'base64');
  const hashes = new Int32Array(Math.floor(bytes.length / HASH_BYTES));
  for (let index = 0; index < hashes.length; index += 1) {
    hashes[index] = bytes.readInt32LE(index * HASH_BYTES);
  }
  return hashes;
}
