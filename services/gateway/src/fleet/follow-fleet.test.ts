import type { Bus, BusMessage } from '@sluice/bus';
import { CONTRACT_VERSION, subjectsUnder, type Heartbeat } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { FleetTable } from './fleet-table.ts';
import { followFleet } from './follow-fleet.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';

const subjects = subjectsUnder('test');

/** The number of workers known after these heartbeats, each on the subject of a pool. */
function knownAfter(...heartbeats: readonly (readonly [pool: string, heartbeat: Heartbeat])[]) {
  const fleet = new FleetTable(() => 0);
  let deliver: (message: BusMessage) => void = () => undefined;
  const bus = {
    subscribe: (_subject: string, handler: (message: BusMessage) => void) => {
      deliver = handler;
      return { unsubscribe: () => undefined };
    },
    onDisconnect: () => () => undefined,
  } as unknown as Bus;
  using _following = followFleet({
    bus,
    subjects,
    fleet,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  for (const [pool, json] of heartbeats) {
    deliver({ subject: subjects.fleet(pool), json } as unknown as BusMessage);
  }
  return fleet.size;
}

describe('a heartbeat', () => {
  it('makes its worker known', () => {
    expect(knownAfter(['default', heartbeatOf('default.one')])).toBe(1);
  });

  it('of another pool than its subject is ignored', () => {
    expect(knownAfter(['other', heartbeatOf('default.one')])).toBe(0);
  });

  it.each([CONTRACT_VERSION, CONTRACT_VERSION + 1])(
    'for a worker of another pool is ignored (contract %i)',
    (contract) => {
      const forged = heartbeatOf('default.one', { pool: 'other', contract, draining: true });
      expect(knownAfter(['other', forged])).toBe(0);
    },
  );
});
