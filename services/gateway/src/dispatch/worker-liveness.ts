import { hasSubscriber, type Bus } from '@sluice/bus';
import {
  type ControlMessage,
  type Subjects,
  LEASE_INTERVAL_MS,
  type Lease,
} from '@sluice/contracts';
import type { FleetTable } from '../fleet/fleet-table.ts';
import type { AttemptTable } from './attempt-table.ts';

export interface WorkerLivenessOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly fleet: Pick<FleetTable, 'isLate'>;
  readonly attempts: Pick<AttemptTable, 'workers' | 'workerEnded'>;
}

const CHECK_INTERVAL_MS = 250;
const INQUIRY: ControlMessage = { kind: 'inquiry' };
const PAYLOAD = Buffer.from(JSON.stringify(INQUIRY));

/**
 * Ends the attempts of dead workers before their silence limit. A worker whose heartbeat is late is probed: NATS
 * answers at once if the control subject has no subscriber (https://docs.nats.io/nats-concepts/core-nats/reqreply).
 *
 * A frozen worker still has its subscription, so only the silence limit ends its attempts.
 */
export class WorkerLiveness implements Disposable {
  readonly #options: WorkerLivenessOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #probing = new Set<string>();

  constructor(options: WorkerLivenessOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  #check(): void {
    const { fleet, attempts } = this.#options;
    for (const worker of attempts.workers()) {
      if (fleet.isLate(worker) && !this.#probing.has(worker)) void this.#probe(worker);
    }
  }

  async #probe(worker: string): Promise<void> {
    const { bus, subjects, fleet, attempts } = this.#options;
    this.#probing.add(worker);
    const isSubscribed = await hasSubscriber(bus, subjects.control(worker), PAYLOAD);
    this.#probing.delete(worker);
    // Frames that the worker sent before it ended have arrived by now. A worker that only lost its connection has
    // dropped its jobs too. If it has sent a heartbeat since, it may already run new jobs.
    if (!isSubscribed && fleet.isLate(worker)) attempts.workerEnded(worker);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

export interface AnnounceLeaseOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly gateway: string;
}

/** Publishes the lease of this gateway at an interval. Workers drop the jobs of a gateway whose lease expires. */
export function announceLease({ bus, subjects, gateway }: AnnounceLeaseOptions): Disposable {
  const lease: Lease = { gateway };
  const payload = Buffer.from(JSON.stringify(lease));
  const announce = () => {
    if (bus.connected) bus.publish(subjects.lease(gateway), payload);
  };
  announce();
  const stop = bus.onReconnect(announce);
  const timer = setInterval(announce, LEASE_INTERVAL_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      stop();
    },
  };
}
