import type { Bus } from '@sluice/bus';
import { CONTRACT_VERSION, Heartbeat, workerName, type Subjects } from '@sluice/contracts';
import { LogDeduplicator, count, initCounters, type Logger } from '@sluice/service';
import type { FleetTable } from './fleet-table.ts';

export interface FollowFleetOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly fleet: FleetTable;
  readonly logger: Logger;
}

/** A sender of unreadable heartbeats repeats them every second. The same fault is logged at most once in this time. */
const QUIET_MS = 60_000;
const UNREADABLE = 'a heartbeat could not be read';
const FOREIGN = 'a heartbeat came from another pool than it names';
const OTHER_SHAPE = { message: 'heartbeat', fault: 'shape' } as const;
const OTHER_VERSION = { message: 'heartbeat', fault: 'version' } as const;

/** Updates the table of workers from their heartbeats. */
export function followFleet({ bus, subjects, fleet, logger }: FollowFleetOptions): Disposable {
  const logged = new LogDeduplicator({ quietMs: QUIET_MS });
  initCounters('sluice.contract.mismatches', [OTHER_SHAPE, OTHER_VERSION]);
  const subscription = bus.subscribe(subjects.fleets(), ({ json, subject }) => {
    const heartbeat = Heartbeat.safeParse(json);
    if (!heartbeat.success) {
      count('sluice.contract.mismatches', OTHER_SHAPE);
      if (logged.shouldLog(UNREADABLE)) logger.warn({ err: heartbeat.error, subject }, UNREADABLE);
      return;
    }
    const { worker, pool, contract } = heartbeat.data;
    const isOtherVersion = contract !== CONTRACT_VERSION;
    if (isOtherVersion) count('sluice.contract.mismatches', OTHER_VERSION);
    // The NATS user of a pool can publish to the subject of this pool only. A heartbeat there that names another pool
    // would attract the jobs of that pool, so it is ignored.
    if (subject !== subjects.fleet(pool) || !worker.startsWith(workerName(pool, ''))) {
      // The heartbeat is already counted, as one of another version.
      if (isOtherVersion) return;
      count('sluice.contract.mismatches', OTHER_SHAPE);
      if (logged.shouldLog(FOREIGN)) logger.warn({ worker, pool, subject }, FOREIGN);
      return;
    }
    fleet.update(heartbeat.data);
  });
  // A worker may reconnect later than this gateway, so it gets jobs only after its next heartbeat.
  const stop = bus.onDisconnect(() => fleet.markAllStale());
  return {
    [Symbol.dispose]: () => {
      stop();
      subscription.unsubscribe();
    },
  };
}
