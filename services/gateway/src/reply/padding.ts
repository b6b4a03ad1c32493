import { randomBytes } from 'node:crypto';

/** As base64url, three random bytes are four characters. */
const RANDOM_BYTES = 12_288;
const POOL_BYTES = (RANDOM_BYTES / 3) * 4;

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
    this.#pool.write(randomBytes(RANDOM_BYTES).toString('base64url'), 'latin1');
    this.#used = 0;
  }
}
