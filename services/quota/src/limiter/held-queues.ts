import type { DeadlineQueue, RunningDeadline } from '@sluice/service';

/** Queues whose calls cannot be sent at the moment. Each queue is held until the deadline of its oldest admission. */
export class HeldQueues<Queue> {
  readonly #deadlines: DeadlineQueue;
  readonly #onMissed: (queue: Queue) => void;
  readonly #held = new Map<Queue, RunningDeadline>();

  constructor(deadlines: DeadlineQueue, onMissed: (queue: Queue) => void) {
    this.#deadlines = deadlines;
    this.#onMissed = onMissed;
  }

  /** Holds a queue. `since` is when its oldest admission arrived; the deadline counts from then. */
  hold(queue: Queue, since: number): void {
    const deadline = this.#deadlines.start(since, () => {
      this.#held.delete(queue);
      this.#onMissed(queue);
    });
    this.#held.set(queue, deadline);
  }

  /** Returns all held queues in the order in which they were held. */
  release(): Queue[] {
    const queues = [...this.#held.keys()];
    for (const deadline of this.#held.values()) this.#deadlines.stop(deadline);
    this.#held.clear();
    return queues;
  }
}
