import type { DeadlineQueue, RunningDeadline } from '@sluice/timing';

/** Queues whose calls cannot be sent at the moment, each until the deadline of what has waited longest in it. */
export class HeldQueues<Queue> {
  readonly #deadlines: DeadlineQueue;
  readonly #onMissed: (queue: Queue) => void;
  readonly #held = new Map<Queue, RunningDeadline>();

  constructor(deadlines: DeadlineQueue, onMissed: (queue: Queue) => void) {
    this.#deadlines = deadlines;
    this.#onMissed = onMissed;
  }

  /** The deadline counts from `since`. */
  hold(queue: Queue, since: number): void {
    const deadline = this.#deadlines.start(since, () => {
      this.#held.delete(queue);
      this.#onMissed(queue);
    });
    this.#held.set(queue, deadline);
  }

  /** All of them, in the order in which they were held. */
  release(): Queue[] {
    const queues = [...this.#held.keys()];
    for (const deadline of this.#held.values()) this.#deadlines.stop(deadline);
    this.#held.clear();
    return queues;
  }
}
