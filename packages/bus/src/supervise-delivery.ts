import type { StoreEnd } from './key-value.ts';

const CHECK_MS = 5_000;
/** How many checks in a row may fail. A single election of a leader is no reason to start a new delivery. */
const MAX_UNANSWERED = 1;

export interface SupervisedDelivery {
  /** The last sequence of the store, as its leader reports it. */
  readonly end: () => Promise<StoreEnd>;
  readonly epoch: number;
  readonly lastSeen: () => number;
  readonly giveUp: (reason: Error) => void;
}

/**
 * Ends a delivery that cannot be trusted although heartbeats arrive. Heartbeats come from a replica, which may have
 * lost contact with its leader. A delivery ends in one of three cases:
 * - The leader does not answer two checks in a row.
 * - Changes that the leader had at the previous check have not arrived, and neither has any other change.
 * - The store has a different epoch, set by another service.
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
    // A large store takes long to deliver. The delivery is not overdue as long as changes arrive.
    const isOverdue = endBefore > seen && seen === seenBefore;
    endBefore = found?.sequence ?? endBefore;
    seenBefore = seen;
    if (unanswered > MAX_UNANSWERED) giveUp(new Error('the leader cannot be asked'));
    else if (isOverdue) giveUp(new Error('changes that the leader has do not arrive'));
    else if (found !== undefined && found.epoch !== epoch) {
      giveUp(new Error('the store has another epoch'));
    }
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
