import { RpcError } from './rpc-error.ts';

const A_DAY_MS = 86_400_000;

/** A promise that resolves when a service is reached for the first time. */
export class FirstReady {
  readonly #ready = Promise.withResolvers<void>();

  constructor() {
    // Handles the rejection, which would be reported as unhandled if no caller waits.
    this.#ready.promise.catch(() => undefined);
  }

  reached(): void {
    this.#ready.resolve();
  }

  /** Rejects the promise: the service will never be reached. */
  abandon(): void {
    this.#ready.reject(new RpcError('cancelled', 'closed before the service was reached'));
  }

  async wait(): Promise<void> {
    // This timer keeps the process alive while a caller waits. A pending attempt to connect does not.
    const alive = setInterval(() => undefined, A_DAY_MS);
    try {
      await this.#ready.promise;
    } finally {
      clearInterval(alive);
    }
  }
}
