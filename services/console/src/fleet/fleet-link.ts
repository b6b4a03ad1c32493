import { connectBus, type Bus } from '@sluice/bus';
import { Heartbeat, workerName, type Subjects } from '@sluice/contracts';
import { LogDeduplicator, type Logger } from '@sluice/service';
import { WorkerTable } from './worker-table.ts';

export interface FleetLinkOptions {
  readonly access: Omit<Parameters<typeof connectBus>[0], 'name' | 'inbox' | 'logger' | 'signal'>;
  readonly subjects: Subjects;
  readonly clock: () => number;
  readonly logger: Logger;
}

/** A worker sends a heartbeat every second, so unreadable ones are logged at most once in this time. */
const QUIET_MS = 60_000;
const UNREADABLE = 'a heartbeat could not be read';

/** How long a worker may take to acknowledge a drain. It does so with a heartbeat, which it sends at once. */
const ACKNOWLEDGE_MS = 3_000;

/**
 * The connection to NATS. It receives heartbeats, and tells workers to drain. The rest of the console works without it.
 */
export class FleetLink implements AsyncDisposable {
  readonly table: WorkerTable;
  readonly #subjects: Subjects;
  readonly #stopping = new AbortController();
  readonly #connecting: Promise<void>;
  #bus: Bus | undefined;

  constructor({ access, subjects, clock, logger }: FleetLinkOptions) {
    this.table = new WorkerTable(clock);
    this.#subjects = subjects;
    this.#connecting = this.#connect(access, logger).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) logger.error({ err: error }, 'NATS cannot be used');
    });
  }

  get connected(): boolean {
    return this.#bus?.connected ?? false;
  }

  /** Tells a worker to drain, or to take jobs again. Resolves with false if it has not acknowledged this in time. */
  async setDraining(worker: string, draining: boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const stopListening = this.table.onHeartbeat((heartbeat) => {
      if (heartbeat.worker === worker && heartbeat.draining === draining) resolve(true);
    });
    const timer = setTimeout(() => resolve(false), ACKNOWLEDGE_MS);
    try {
      const message = { kind: draining ? 'drain' : 'undrain' };
      this.#bus?.publish(this.#subjects.control(worker), Buffer.from(JSON.stringify(message)));
      return await promise;
    } finally {
      clearTimeout(timer);
      stopListening();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#connecting;
    await this.#bus?.[Symbol.asyncDispose]();
  }

  async #connect(access: FleetLinkOptions['access'], logger: Logger): Promise<void> {
    const bus = await connectBus({
      ...access,
      name: 'console',
      inbox: this.#subjects.inbox('console'),
      logger,
      signal: this.#stopping.signal,
    });
    this.#bus = bus;
    const logged = new LogDeduplicator({ quietMs: QUIET_MS });
    bus.subscribe(this.#subjects.fleets(), ({ json, subject }) => {
      const heartbeat = Heartbeat.safeParse(json);
      if (!heartbeat.success) {
        if (logged.shouldLog(UNREADABLE)) logger.warn({ subject }, UNREADABLE);
        return;
      }
      const { worker, pool } = heartbeat.data;
      // The NATS user of one pool may not send heartbeats for workers of another pool.
      if (subject !== this.#subjects.fleet(pool) || !worker.startsWith(workerName(pool, ''))) {
        return;
      }
      this.table.update(heartbeat.data);
    });
  }
}
