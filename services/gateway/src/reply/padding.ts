import { randomBytes } from 'node:crypto';

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const POOL_BYTES = 16_384;

/**
 * Random characters that pad the events of a stream, so that their sizes do not reveal the lengths of tokens. Calling the
 * random generator for each event would cost more than everything else that an event needs. Therefore the characters are
 * generated in advance, in a pool.
 */
export class PaddingPool {
  readonly #pool = Buffer.allocUnsafe(POOL_BYTES);
  #used = POOL_BYTES;

  /** Writes `length` characters, at most the size of the pool, and returns the offset after them. */
  write(target: Buffer, offset: number, length: number): number {
    if (this.#used + length > POOL_BYTES) this.#refill();
    this.#pool.copy(target, offset, this.#used, this.#used + length);
    this.#used += length;
    return offset + length;
  }

  #refill(): void {
    const random = randomBytes(POOL_BYTES);
    for (let index = 0; index < POOL_BYTES; index += 1) {
      this.#pool[index] = ALPHABET[(random[index] ?? 0) & 63] ?? 0;
    }
    this.#used = 0;
  }
}
