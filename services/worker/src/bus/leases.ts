import { LEASE_EXPIRY_MS, LEASE_LATE_MS } from '@sluice/contracts';

/** When each gateway was last heard of. */
export class Leases {
  readonly #heardAt = new Map<string, number>();

  /** A lease, or a job: either shows that it lives. */
  heard(gateway: string, now: number): void {
    this.#heardAt.set(gateway, now);
  }

  /** The gateways that have been silent for too long, forgotten by this call. */
  takeExpired(now: number): Set<string> {
    const expired = new Set<string>();
    for (const [gateway, heardAt] of this.#heardAt) {
      if (now - heardAt >= LEASE_EXPIRY_MS) {
        expired.add(gateway);
        this.#heardAt.delete(gateway);
      }
    }
    return expired;
  }

  /** The gateways that should have been heard by now. */
  late(now: number): readonly string[] {
    return [...this.#heardAt.keys()].filter((gateway) => this.isLate(gateway, now));
  }

  isLate(gateway: string, now: number): boolean {
    const heardAt = this.#heardAt.get(gateway);
    return heardAt !== undefined && now - heardAt >= LEASE_LATE_MS;
  }

  forget(gateway: string): void {
    this.#heardAt.delete(gateway);
  }

  clear(): void {
    this.#heardAt.clear();
  }
}
