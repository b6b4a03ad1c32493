import type { Heartbeat } from '@sluice/contracts';

const NONE: ReadonlySet<string> = new Set();

/** The workers at which an organization holds all slots that its plan allows, for the jobs of all gateways together. */
export class FullOrganizations {
  readonly #workers = new Map<string, Set<string>>();

  /** The ids of the workers at which a further job of the organization would wait. */
  workersFor(organization: string): ReadonlySet<string> {
    return this.#workers.get(organization) ?? NONE;
  }

  /** `before` and `now` are heartbeats of one worker. A new worker has none before, a forgotten worker none now. */
  update(before: Heartbeat | undefined, now: Heartbeat | undefined): void {
    for (const organization of before?.full_organizations ?? []) {
      const workers = this.#workers.get(organization);
      workers?.delete(before?.worker ?? '');
      if (workers?.size === 0) this.#workers.delete(organization);
    }
    for (const organization of now?.full_organizations ?? []) {
      const workers = this.#workers.get(organization) ?? new Set();
      this.#workers.set(organization, workers.add(now?.worker ?? ''));
    }
  }
}
