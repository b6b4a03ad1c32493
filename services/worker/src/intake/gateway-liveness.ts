import { hasSubscriber, type Bus } from '@sluice/bus';
import { GATEWAY_INQUIRY, type Subjects, LEASE_EXPIRY_MS, LEASE_LATE_MS } from '@sluice/contracts';
import { everyInterval } from '@sluice/service';
import type { JobIntake } from './job-intake.ts';

export interface GatewayLivenessOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly leases: Leases;
  readonly intake: JobIntake;
  readonly clock: () => number;
}

const CHECK_INTERVAL_MS = 250;
const EMPTY = new Uint8Array(0);

/**
 * Drops the jobs of dead gateways. If a gateway's lease is late, the worker sends it an inquiry. If the gateway has
 * lost its connection, NATS answers at once that there is no subscriber (docs/decisions/0018). A frozen gateway keeps
 * its connection, and its jobs are dropped when its lease expires.
 */
export class GatewayLiveness implements Disposable {
  readonly #options: GatewayLivenessOptions;
  readonly #checking: Disposable;
  readonly #inquiries = new Set<string>();

  constructor(options: GatewayLivenessOptions) {
    this.#options = options;
    const { clock } = options;
    this.#checking = everyInterval(() => this.#check(), {
      everyMs: CHECK_INTERVAL_MS,
      clock,
    });
  }

  #check(): void {
    const { leases, clock } = this.#options;
    for (const gateway of leases.takeExpired(clock())) this.#drop(gateway);
    for (const gateway of leases.late(clock())) {
      if (!this.#inquiries.has(gateway)) void this.#inquire(gateway);
    }
  }

  async #inquire(gateway: string): Promise<void> {
    const { bus, subjects, leases, clock } = this.#options;
    this.#inquiries.add(gateway);
    const isConnected = await hasSubscriber(bus, subjects.delta(gateway, GATEWAY_INQUIRY), EMPTY);
    this.#inquiries.delete(gateway);
    // The gateway is alive if it is connected, or if its lease arrived during the inquiry.
    if (isConnected || !leases.isLate(gateway, clock())) return;
    leases.forget(gateway);
    this.#drop(gateway);
  }

  #drop(gateway: string): void {
    const { bus, intake } = this.#options;
    const dropped = intake.abandonWhere(
      'gateway_silent',
      ({ header }) => header.gateway === gateway,
    );
    // The gateway may be alive after all. Then the gap in the frame numbers tells it at once that these attempts have
    // failed; it would notice their silence only seconds later. Without a connection, the gap cannot be sent.
    if (!bus.connected) return;
    for (const { channel } of dropped) channel.forceGap();
  }

  [Symbol.dispose](): void {
    this.#checking[Symbol.dispose]();
  }
}

/** When each gateway last sent a lease or a job. */
export class Leases {
  readonly #renewedAt = new Map<string, number>();

  renew(gateway: string, now: number): void {
    this.#renewedAt.set(gateway, now);
  }

  /** Removes and returns the gateways whose lease has expired. */
  takeExpired(now: number): Set<string> {
    const expired = new Set<string>();
    for (const [gateway, renewedAt] of this.#renewedAt) {
      if (now - renewedAt >= LEASE_EXPIRY_MS) {
        expired.add(gateway);
        this.#renewedAt.delete(gateway);
      }
    }
    return expired;
  }

  /** The gateways whose next lease is overdue. */
  late(now: number): readonly string[] {
    return [...this.#renewedAt.keys()].filter((gateway) => this.isLate(gateway, now));
  }

  isLate(gateway: string, now: number): boolean {
    const renewedAt = this.#renewedAt.get(gateway);
    return renewedAt !== undefined && now - renewedAt >= LEASE_LATE_MS;
  }

  forget(gateway: string): void {
    this.#renewedAt.delete(gateway);
  }

  clear(): void {
    this.#renewedAt.clear();
  }
}
