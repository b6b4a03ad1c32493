import { isHeard, type Bus } from '@sluice/bus';
import type { ControlMessage, Subjects } from '@sluice/contracts';
import type { FleetTable } from '../domain/fleet-table.ts';
import type { AttemptTable } from './attempt-table.ts';

export interface EndedWorkersOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly fleet: Pick<FleetTable, 'isLate'>;
  readonly attempts: Pick<AttemptTable, 'workers' | 'workerEnded'>;
}

const CHECK_INTERVAL_MS = 250;
const INQUIRY: ControlMessage = { kind: 'inquiry' };
const PAYLOAD = Buffer.from(JSON.stringify(INQUIRY));

/**
 * Ends the attempts at a worker that is gone, long before they seem silent: the bus knows at once who has lost its
 * connection to it. A worker is asked after only when its heartbeat is late.
 *
 * One that is frozen still listens, and does not answer: only its silence tells.
 */
export class EndedWorkers implements Disposable {
  readonly #options: EndedWorkersOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #asked = new Set<string>();

  constructor(options: EndedWorkersOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  #check(): void {
    const { fleet, attempts } = this.#options;
    for (const worker of attempts.workers()) {
      if (fleet.isLate(worker) && !this.#asked.has(worker)) void this.#askAfter(worker);
    }
  }

  async #askAfter(worker: string): Promise<void> {
    const { bus, subjects, fleet, attempts } = this.#options;
    this.#asked.add(worker);
    const isThere = await isHeard(bus, subjects.control(worker), PAYLOAD);
    this.#asked.delete(worker);
    // Whatever it had sent has come before this. Where only its connection broke, it has dropped its jobs itself, and
    // may have been heard again since.
    if (!isThere && fleet.isLate(worker)) attempts.workerEnded(worker);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
