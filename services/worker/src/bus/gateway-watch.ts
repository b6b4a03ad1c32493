import { isHeard, type Bus } from '@sluice/bus';
import { GATEWAY_INQUIRY, type Subjects } from '@sluice/contracts';
import { checkRegularly } from '@sluice/timing';
import type { JobDesk } from '../domain/job-desk.ts';
import type { Leases } from './leases.ts';

export interface GatewayWatchOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly leases: Leases;
  readonly desk: JobDesk;
  readonly now: () => number;
}

const CHECK_INTERVAL_MS = 250;
const NOTHING = new Uint8Array(0);

/**
 * Drops the jobs of gateways that are gone. One whose lease is late is asked after, since the bus knows at once who has
 * lost its connection to it; one that is frozen is given up when its lease expires.
 */
export class GatewayWatch implements Disposable {
  readonly #options: GatewayWatchOptions;
  readonly #checking: Disposable;
  readonly #asked = new Set<string>();

  constructor(options: GatewayWatchOptions) {
    this.#options = options;
    const { now } = options;
    this.#checking = checkRegularly(() => this.#check(), {
      everyMs: CHECK_INTERVAL_MS,
      clock: now,
    });
  }

  #check(): void {
    const { leases, now } = this.#options;
    for (const gateway of leases.takeExpired(now())) this.#drop(gateway);
    for (const gateway of leases.late(now())) {
      if (!this.#asked.has(gateway)) void this.#askAfter(gateway);
    }
  }

  async #askAfter(gateway: string): Promise<void> {
    const { bus, subjects, leases, now } = this.#options;
    this.#asked.add(gateway);
    const isThere = await isHeard(bus, subjects.delta(gateway, GATEWAY_INQUIRY), NOTHING);
    this.#asked.delete(gateway);
    // It may have been heard since.
    if (isThere || !leases.isLate(gateway, now())) return;
    leases.forget(gateway);
    this.#drop(gateway);
  }

  #drop(gateway: string): void {
    const { bus, desk } = this.#options;
    const dropped = desk.abandonWhere('gateway_silent', ({ header }) => header.gateway === gateway);
    // It may be cut off, not gone, and would wait for these until they seem silent.
    if (!bus.connected) return;
    for (const { channel } of dropped) channel.showGap();
  }

  [Symbol.dispose](): void {
    this.#checking[Symbol.dispose]();
  }
}
