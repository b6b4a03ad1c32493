import type { Pauses } from '@sluice/devkit/pauses';

/** Half of the deadline of the store. */
const PAUSED_TOO_LONG_MS = 50;
/** How long the breaker may stay open after a pause: two intervals of 250 ms between probes. */
const GIVEN_UP_MS = 500;

interface UndecidedRequest {
  readonly startedAt: number;
  readonly answeredAfterMs: number;
}

/**
 * Removes the undecided requests that a pause of the machine explains: those that waited through a long pause, and
 * those that were rejected at once while the breaker was open because of it. Short pauses do not count, because they
 * are so frequent on a busy machine that they would explain every outage.
 */
export function excuseOutages<Request extends UndecidedRequest>(
  undecided: readonly Request[],
  pauses: Pauses,
): Request[] {
  let givenUpUntil = Number.NEGATIVE_INFINITY;
  return undecided
    .toSorted((one, other) => answeredAt(one) - answeredAt(other))
    .filter((request) => {
      const pausedMs = pauses.pausedMs(request.startedAt, answeredAt(request));
      if (pausedMs >= PAUSED_TOO_LONG_MS) {
        givenUpUntil = answeredAt(request) + GIVEN_UP_MS;
        return false;
      }
      const wasRejectedAtOnce = request.answeredAfterMs < PAUSED_TOO_LONG_MS;
      return !(wasRejectedAtOnce && answeredAt(request) < givenUpUntil);
    });
}

function answeredAt({ startedAt, answeredAfterMs }: UndecidedRequest): number {
  return startedAt + answeredAfterMs;
}
