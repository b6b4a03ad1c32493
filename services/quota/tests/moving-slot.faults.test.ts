import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';
import { startQuotaProcess } from './support/quota-process.ts';
import { startRedisCluster } from './support/redis-cluster.ts';
import { ask, redisProgramMissing } from './support/redis-processes.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });
const KEY = 'moving:{acme}';

const missing = redisProgramMissing();
describe.skipIf(cannotRun('a moving slot of a Redis Cluster', missing))(
  'while a slot moves to another node',
  () => {
    it('quota survives a stall of that node, and then decides again', async () => {
      await using cluster = await startRedisCluster();
      // Longer than the stall, so that the cluster does not mark the node as failed.
      await cluster.configure('cluster-node-timeout', '15000');
      const [first] = cluster.masters;
      if (first === undefined) throw new Error('there are three');
      const slot = String(await ask(first.port, 'cluster', 'keyslot', KEY));
      const source = cluster.masterOf(Number(slot));
      const target = cluster.masters.find((master) => master !== source);
      if (source === undefined || target === undefined) throw new Error('there are three');
      await using quota = await startQuotaProcess({
        REDIS_MODE: 'cluster',
        REDIS_URL: cluster.masters.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
        REDIS_KEY_PREFIX: 'moving:',
      });
      let hasEnded = false;
      void quota.ended().then(() => (hasEnded = true));
      await using client = connectQuota({ addresses: [quota.address], logger });
      await client.ready();
      const admit = async () => {
        const request = {
          organization: 'acme',
          limits: UNLIMITED,
          revision: REVISION,
          ...ONE_REQUEST,
        };
        return (await client.admit(request)).outcome;
      };
      const sourceId = String(await ask(source.port, 'cluster', 'myid'));
      const targetId = String(await ask(target.port, 'cluster', 'myid'));
      await ask(target.port, 'cluster', 'setslot', slot, 'importing', sourceId);
      await ask(source.port, 'cluster', 'setslot', slot, 'migrating', targetId);
      await waitUntil(async () => (await admit()) === 'admitted', {
        what: 'an admission by the node that is getting the slot',
      });
      expect(await ask(target.port, 'cluster', 'countkeysinslot', slot)).toBe(1);

      target.pause();
      const lostConnection = () => quota.log.some(({ reason }) => reason === 'connection');
      await waitUntil(async () => (await admit()) === 'unavailable' && lostConnection(), {
        what: 'the connection to be given up',
      });
      target.resume();
      await waitUntil(async () => (await admit()) === 'admitted', { what: 'an admission' });
      expect(hasEnded).toBe(false);
    });
  },
);
