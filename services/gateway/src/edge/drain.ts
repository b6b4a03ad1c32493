import { ServiceError } from '@sluice/contracts';

/** The phases of a graceful shutdown. */
export type DrainPhase =
  | 'serving'
  /** Requests are still served, but each connection closes after its reply. */
  | 'announcing'
  /** New requests are refused. Open ones are finished. */
  | 'refusing';

export class Drain {
  #phase: DrainPhase = 'serving';

  get phase(): DrainPhase {
    return this.#phase;
  }

  enter(phase: DrainPhase): void {
    this.#phase = phase;
  }
}

/** The error for a request that arrives after the announcement, or does not finish within the drain limit. */
export function shuttingDown(): ServiceError {
  return new ServiceError('service_unavailable', 'The server is shutting down. Please retry.', {
    retryable: true,
  });
}
