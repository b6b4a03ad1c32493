import type { AttemptCarrier } from './attempt-carrier.ts';
import type { DrainPhase } from './drain.ts';
import type { FleetTable } from './fleet-table.ts';

interface Neighbour {
  /** Resolves at the first contact. */
  ready(): Promise<void>;
  /** For people. */
  state(): unknown;
}

interface NeighbourParts {
  readonly bus: { readonly connected: boolean };
  readonly quota: Neighbour;
  readonly catalog: Neighbour;
  readonly fleet: Pick<FleetTable, 'size' | 'describe'>;
  readonly carrier: Pick<AttemptCarrier, 'fleetHeard'>;
  readonly ledger: { readonly counts: unknown };
}

/** A gateway is ready once it has reached every neighbour, and stays so: one outage must not take all of them out. */
export class NeighbourWatch {
  readonly #parts: NeighbourParts;
  readonly #reached = { quota: false, catalog: false, fleet: false };

  constructor(parts: NeighbourParts) {
    this.#parts = parts;
    const ignore = () => undefined;
    parts.quota.ready().then(() => (this.#reached.quota = true), ignore);
    parts.catalog.ready().then(() => (this.#reached.catalog = true), ignore);
    // Without workers it is ready as well, once they would have been heard.
    parts.carrier.fleetHeard().then(() => (this.#reached.fleet = true), ignore);
  }

  /** The details are for people. */
  readiness(phase: DrainPhase): { ready: boolean; details: Readonly<Record<string, unknown>> } {
    const { bus, quota, catalog, fleet, ledger } = this.#parts;
    const { quota: quotaReached, catalog: catalogReached, fleet: fleetHeard } = this.#reached;
    const reached = quotaReached && catalogReached && (fleetHeard || fleet.size > 0);
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
