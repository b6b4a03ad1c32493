import type { Pauses } from '@sluice/machine';

/** Half of the time that the store has for an answer. */
const PAUSED_TOO_LONG_MS = 50;
/** What the service keeps from a store that it has given up: it asks again every 250 ms. */
const GIVEN_UP_MS = 500;

interface UndecidedRequest {
  readonly startedAt: number;
  readonly answeredAfterMs: number;
}

/**
 * Leaves out the requests that a pause of the machine itself kept from being decided: those that waited through it
 * for too long, and those that were turned away at once while the store was given up for that. Nobody else is
 * excused: short pauses are so frequent on a busy machine that they would excuse every outage.
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
      const turnedAway = request.answeredAfterMs < PAUSED_TOO_LONG_MS;
      return !(turnedAway && answeredAt(request) < givenUpUntil);
    });
}

function answeredAt({ startedAt, answeredAfterMs }: UndecidedRequest): number {
  return startedAt + answeredAfterMs;
}
