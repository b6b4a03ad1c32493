export interface HeldBytesOptions {
  readonly mostBytes: number;
  readonly mostBytesOfOne: number;
}

/** How much is held of something that nothing else bounds, in all and by organization. */
export class HeldBytes {
  readonly #options: HeldBytesOptions;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(options: HeldBytesOptions) {
    this.#options = options;
  }

  /** In all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether there was room for them: they are held from now on. */
  take(organization: string, bytes: number): boolean {
    const { mostBytes, mostBytesOfOne } = this.#options;
    const own = (this.#bytesOf.get(organization) ?? 0) + bytes;
    if (own > mostBytesOfOne || this.#bytes + bytes > mostBytes) return false;
    this.#bytesOf.set(organization, own);
    this.#bytes += bytes;
    return true;
  }

  giveBack(organization: string, bytes: number): void {
    if (bytes === 0) return;
    const left = (this.#bytesOf.get(organization) ?? 0) - bytes;
    if (left > 0) this.#bytesOf.set(organization, left);
    else this.#bytesOf.delete(organization);
    this.#bytes -= bytes;
  }
}
