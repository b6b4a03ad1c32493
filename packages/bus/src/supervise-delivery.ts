import type { StoreEnd } from './key-value.ts';

const CHECK_MS = 5_000;
/** One election is no reason to begin anew. */
const MOST_UNANSWERED = 1;

export interface SupervisedDelivery {
  /** Where the store ends, by its leader's word. */
  readonly end: () => Promise<StoreEnd>;
  readonly epoch: number;
  readonly lastSeen: () => number;
  readonly giveUp: (reason: Error) => void;
}

/**
 * Gives a delivery up that cannot be trusted, though heartbeats come: they come from a replica, which may have lost its
 * leader, or have lost touch with it. So it is given up when the leader cannot be asked twice in a row, when what it
 * knew at the last check has not arrived at this one and nothing else has, and when somebody who knew more has given the store another epoch.
 */
export function superviseDelivery({
  end,
  epoch,
  lastSeen,
  giveUp,
}: SupervisedDelivery): Disposable {
  let unanswered = 0;
  let endBefore = 0;
  let seenBefore = -1;
  const check = async () => {
    const found = await end().catch(() => undefined);
    unanswered = found === undefined ? unanswered + 1 : 0;
    const seen = lastSeen();
    // A large store takes its time, and is on its way as long as something comes.
    const isOverdue = endBefore > seen && seen === seenBefore;
    endBefore = found?.sequence ?? endBefore;
    seenBefore = seen;
    if (unanswered > MOST_UNANSWERED) giveUp(new Error('the leader cannot be asked'));
    else if (isOverdue) giveUp(new Error('changes that the leader has do not arrive'));
    else if (found !== undefined && found.epoch !== epoch) {
      giveUp(new Error('the store has another epoch'));
    }
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
