import { RpcError } from './rpc-error.ts';

const A_DAY_MS = 86_400_000;

/** A promise that resolves when a service is reached for the first time. */
export class FirstReady {
  readonly #contact = Promise.withResolvers<void>();

  constructor() {
    // Handles the rejection, which would be reported as unhandled if no caller waits.
    this.#contact.promise.catch(() => undefined);
  }

  made(): void {
    this.#contact.resolve();
  }

  /** Rejects the promise: the service will never be reached. */
  abandon(): void {
    this.#contact.reject(new RpcError('cancelled', 'closed before the first contact'));
  }

  async wait(): Promise<void> {
    // This timer keeps the process alive while a caller waits. A pending attempt to connect does not.
    const alive = setInterval(() => undefined, A_DAY_MS);
    try {
      await this.#contact.promise;
    } finally {
      clearInterval(alive);
    }
  }
}
