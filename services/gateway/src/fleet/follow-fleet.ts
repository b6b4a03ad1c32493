import type { Bus } from '@sluice/bus';
import { CONTRACT_VERSION, Heartbeat, workerName, type Subjects } from '@sluice/contracts';
import { LogDeduplicator, count, startAtZero, type Logger } from '@sluice/telemetry';
import type { FleetTable } from '../domain/fleet-table.ts';

export interface FollowFleetOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly fleet: FleetTable;
  readonly logger: Logger;
}

/** Whoever sends what cannot be read does so each second: it is logged again only after this long. */
const QUIET_MS = 60_000;
const UNREADABLE = 'a heartbeat could not be read';
const FOREIGN = 'a heartbeat came from another pool than it names';
const OTHER_SHAPE = { message: 'heartbeat', fault: 'shape' } as const;
const OTHER_VERSION = { message: 'heartbeat', fault: 'version' } as const;

/** Keeps the table of workers by their heartbeats. */
export function followFleet({ bus, subjects, fleet, logger }: FollowFleetOptions): Disposable {
  const said = new LogDeduplicator({ quietMs: QUIET_MS });
  startAtZero('sluice.contract.mismatches', [OTHER_SHAPE, OTHER_VERSION]);
  const subscription = bus.subscribe(subjects.fleets(), ({ json, subject }) => {
    const heartbeat = Heartbeat.safeParse(json);
    if (!heartbeat.success) {
      count('sluice.contract.mismatches', OTHER_SHAPE);
      if (said.shouldLog(UNREADABLE)) logger.warn({ err: heartbeat.error, subject }, UNREADABLE);
      return;
    }
    const { worker, pool, contract } = heartbeat.data;
    const isOtherVersion = contract !== CONTRACT_VERSION;
    if (isOtherVersion) count('sluice.contract.mismatches', OTHER_VERSION);
    // The user of one pool may not speak for workers of another, nor be sent their jobs.
    if (subject !== subjects.fleet(pool) || !worker.startsWith(workerName(pool, ''))) {
      if (isOtherVersion) return;
      count('sluice.contract.mismatches', OTHER_SHAPE);
      if (said.shouldLog(FOREIGN)) logger.warn({ worker, pool, subject }, FOREIGN);
      return;
    }
    fleet.heard(heartbeat.data);
  });
  // A worker may be back later than this gateway: each is offered jobs once it is heard again.
  const stop = bus.onDisconnect(() => fleet.doubtAll());
  return {
    [Symbol.dispose]: () => {
      stop();
      subscription.unsubscribe();
    },
  };
}
