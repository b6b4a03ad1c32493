import { ServiceError } from '@sluice/contracts';

/** How far the stopping of this process has come. */
export type DrainPhase =
  | 'serving'
  /** Requests are served as ever, but on connections that close after them. */
  | 'announcing'
  /** Only what has begun is finished. */
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

/** Whoever comes too late, or is not done in time. */
export function shuttingDown(): ServiceError {
  return new ServiceError('service_unavailable', 'The server is shutting down. Please retry.', {
    retryable: true,
  });
}
