import { RpcError } from './rpc-error.ts';

const A_DAY_MS = 86_400_000;

/** Tells whoever waits that a neighbour was reached for the first time. */
export class FirstContact {
  readonly #contact = Promise.withResolvers<void>();

  constructor() {
    // Nobody need wait for it.
    this.#contact.promise.catch(() => undefined);
  }

  made(): void {
    this.#contact.resolve();
  }

  /** It will never be made. */
  abandon(): void {
    this.#contact.reject(new RpcError('cancelled', 'closed before the first contact'));
  }

  async wait(): Promise<void> {
    // A connection attempt alone does not keep a process alive, and this wait should not end one.
    const alive = setInterval(() => undefined, A_DAY_MS);
    try {
      await this.#contact.promise;
    } finally {
      clearInterval(alive);
    }
  }
}
