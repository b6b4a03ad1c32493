import type { AttemptSender } from './dispatch/attempt-sender.ts';
import type { DrainPhase } from './edge/drain.ts';
import type { FleetTable } from './fleet/fleet-table.ts';

interface Neighbour {
  /** Resolves at the first successful contact. */
  ready(): Promise<void>;
  /** Shown on the readiness page. */
  state(): unknown;
}

interface NeighbourParts {
  readonly bus: { readonly connected: boolean };
  readonly quota: Neighbour;
  readonly catalog: Neighbour;
  readonly fleet: Pick<FleetTable, 'size' | 'describe'>;
  readonly sender: Pick<AttemptSender, 'fleetKnown'>;
  readonly ledger: { readonly counts: unknown };
}

/** A gateway is ready once it has reached every neighbour. It stays ready if a neighbour fails later. */
export class Readiness {
  readonly #parts: NeighbourParts;
  readonly #reached = { quota: false, catalog: false, fleet: false };

  constructor(parts: NeighbourParts) {
    this.#parts = parts;
    const ignore = () => undefined;
    parts.quota.ready().then(() => (this.#reached.quota = true), ignore);
    parts.catalog.ready().then(() => (this.#reached.catalog = true), ignore);
    // A fleet without workers counts as reached once the time for a first heartbeat has passed.
    parts.sender.fleetKnown().then(() => (this.#reached.fleet = true), ignore);
  }

  /** Whether the gateway is ready, with details for the readiness page. */
  check(phase: DrainPhase): { ready: boolean; details: Readonly<Record<string, unknown>> } {
    const { bus, quota, catalog, fleet, ledger } = this.#parts;
    const { quota: quotaReached, catalog: catalogReached, fleet: fleetKnown } = this.#reached;
    const reached = quotaReached && catalogReached && (fleetKnown || fleet.size > 0);
    return {
      ready: reached && phase === 'serving',
      details: {
        phase,
        bus: bus.connected ? 'connected' : 'disconnected',
        quota: quota.state(),
        catalog: catalog.state(),
        workers: fleet.describe(),
        ledger: ledger.counts,
      },
    };
  }
}
