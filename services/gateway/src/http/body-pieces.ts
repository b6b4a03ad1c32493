/** So many are held one by one; more than most bodies have. */
const MOST_LOOSE = 256;

/**
 * What has come of a body. A client may send it byte by byte, and each piece takes hundreds of bytes of memory
 * beside its own: they are joined as they come.
 */
export class BodyPieces {
  readonly #joined: Buffer[] = [];
  #loose: Buffer[] = [];

  /** Of the buffers that are held. */
  get count(): number {
    return this.#joined.length + this.#loose.length;
  }

  add(piece: Buffer): void {
    this.#loose.push(piece);
    if (this.#loose.length < MOST_LOOSE) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** All of them as one; a single one is not copied. */
  joined(): Buffer {
    const all = [...this.#joined, ...this.#loose];
    const [first] = all;
    return all.length === 1 && first !== undefined ? first : Buffer.concat(all);
  }
}
