import { useLeakCheck, useNats, useRedis } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultScene, type StruckClient, type StruckRow } from './fault-scene.ts';
import { FAULT_TABLE, MOMENTS, describeFault, type Moment, type Target } from './fault-table.ts';
import { auditLedger } from './ledger-audit.ts';

/** Tests the rows of the fault table for one process: a test for every moment of a job, and one for the ledger. */
export function describeFaults(target: Target): void {
  useLeakCheck({ timeoutMs: 10_000 });
  const nats = useNats({ own: true });
  const redis = useRedis({ own: true });
  let scene: FaultScene;
  beforeAll(async () => {
    scene = await FaultScene.open(nats, redis.url);
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
  });

  const rows = FAULT_TABLE.filter((candidate) => candidate.target === target);
  describe.each(rows.map((row) => [describeFault(row), row] as const))('%s', (_title, row) => {
    let struck: StruckRow;
    beforeAll(async () => {
      struck = await scene.strike(row);
    });

    test.each(MOMENTS)('a job that is %s', (moment) => {
      const clients = struck.clients.filter((candidate) => momentOf(candidate) === moment);
      const { streamed, whole } = row.expected[moment];
      expect(new Set(clients.map(({ client }) => client.stream)).size).toBe(2);
      for (const { client, reply } of clients) {
        const { ending, detail } = reply;
        expect(client.stream ? streamed : whole, `${client.name}: ${detail}`).toContain(ending);
      }
    });

    test('every record is written once', async () => {
      const killed = row.fault.signal === 'SIGKILL' ? target : undefined;
      const { requests } = await auditLedger(scene.witness, {
        organization: struck.tenant.organization,
        replies: struck.clients.map(({ reply }) => reply),
        accepted: struck.accepted,
        gatewaySurvived: killed !== 'gateway',
        // The first attempt of each request was at the worker that was struck.
        mayBeLost: (attempt) => killed === 'worker' && attempt.endsWith('-1'),
      });
      expect(requests.length).toBeLessThanOrEqual(struck.clients.length);
    });
  });
}

function momentOf({ moment }: StruckClient): Moment {
  return moment === 'next in line' ? 'queued' : moment;
}
