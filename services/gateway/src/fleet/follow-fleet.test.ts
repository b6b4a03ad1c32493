import type { Bus, BusMessage } from '@sluice/bus';
import { CONTRACT_VERSION, subjectsUnder, type Heartbeat } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { describe, expect, it } from 'vitest';
import { FleetTable } from '../domain/fleet-table.ts';
import { heartbeatOf } from '../domain/heartbeat-fixture.ts';
import { followFleet } from './follow-fleet.ts';

const subjects = subjectsUnder('test');

/** The workers that a gateway offers jobs to after it heard these heartbeats, each on the subject of a pool. */
function heard(...heartbeats: readonly (readonly [pool: string, heartbeat: Heartbeat])[]) {
  const fleet = new FleetTable(() => 0);
  let hear: (message: BusMessage) => void = () => undefined;
  const bus = {
    subscribe: (_subject: string, handler: (message: BusMessage) => void) => {
      hear = handler;
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
    hear({ subject: subjects.fleet(pool), json } as unknown as BusMessage);
  }
  return fleet.size;
}

describe('a heartbeat', () => {
  it('makes its worker known', () => {
    expect(heard(['default', heartbeatOf('default.one')])).toBe(1);
  });

  it('is worth nothing in the name of another pool, whose jobs would be sent for it', () => {
    expect(heard(['other', heartbeatOf('default.one')])).toBe(0);
  });

  it.each([CONTRACT_VERSION, CONTRACT_VERSION + 1])(
    'says nothing of a worker of another pool (contract %i)',
    (contract) => {
      const forged = heartbeatOf('default.one', { pool: 'other', contract, draining: true });
      expect(heard(['other', forged])).toBe(0);
    },
  );
});
