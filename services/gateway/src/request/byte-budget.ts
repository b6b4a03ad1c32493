import { ServiceError } from '@sluice/contracts';

export interface ByteBudgetOptions {
  readonly maxBytes: number;
  readonly maxBytesPerOrganization: number;
}

/** Limits the bytes that are held at once, in total and per organization. */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  /** Bytes reserved in total. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reserves bytes if there is room for all of them. Otherwise, reserves nothing and returns false. */
  reserve(organization: string, bytes: number): boolean {
    const { maxBytes, maxBytesPerOrganization } = this.#options;
    const own = (this.#bytesOf.get(organization) ?? 0) + bytes;
    if (own > maxBytesPerOrganization || this.#bytes + bytes > maxBytes) return false;
    this.#bytesOf.set(organization, own);
    this.#bytes += bytes;
    return true;
  }

  release(organization: string, bytes: number): void {
    if (bytes === 0) return;
    const left = (this.#bytesOf.get(organization) ?? 0) - bytes;
    if (left > 0) this.#bytesOf.set(organization, left);
    else this.#bytesOf.delete(organization);
    this.#bytes -= bytes;
  }
}

/** The memory budget for large bodies is used up. */
export function bodyMemoryExhausted(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'Too many large requests are being read at the moment. Please retry.',
    { retryable: true },
  );
}
