import { connectBus } from '@sluice/bus';
import { useLeakCheck } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { CatalogProgram } from './catalog-program.ts';
import { logger } from './catalog-under-test.ts';
import { useReplicatedStack } from './replicated-stack.ts';
import { WatchedTenant, runRounds, timesUntilSeen } from './watched-tenant.ts';

useLeakCheck({ timeoutMs: 10_000 });

const CACHE_MS = 20_000;
const replicated = useReplicatedStack({ environment: { CATALOG_CACHE_MS: String(CACHE_MS) } });

test('revocations, changes of plan and limit, and restrictions are seen everywhere within a second', async () => {
  const { admins, apiRoots } = replicated();
  expect([apiRoots.length, admins.length]).toEqual([3, 2]);
  const tenant = await WatchedTenant.make(admins[0], 'announced');
  const times = await runRounds(tenant, 25, { admins, apiRoots, timeoutMs: CACHE_MS });
  expect(times).toHaveLength(25 * 5 * 3);
  expect(Math.max(...times)).toBeLessThan(1_000);
});

test('changes of a model are seen everywhere within a second', async () => {
  const { admins, apiRoots } = replicated();
  const tenant = await WatchedTenant.make(admins[0], 'modelled');
  for (let round = 0; round < 10; round += 1) {
    for (const admin of admins) {
      const change = await tenant.modelChange(admin);
      const times = await timesUntilSeen(apiRoots, [change], CACHE_MS);
      expect(times).toHaveLength(3);
      expect(Math.max(...times)).toBeLessThan(1_000);
    }
  }
});

describe('changes that the replica does not announce to any gateway', () => {
  test('are seen when another replica repeats the position of the store', async () => {
    const { stack, admins, apiRoots } = replicated();
    await using bus = await connectBus({ servers: [stack.natsUrl], name: 'listener', logger });
    const heard: string[] = [];
    bus.subscribe('*.catalog.changed', ({ subject }) => heard.push(subject));
    await bus.flush();
    // A catalog on the same store that announces under another prefix, so no gateway receives it.
    await using silent = await CatalogProgram.start({
      NATS_URL: stack.natsUrl,
      SUBJECT_PREFIX: 'unheard',
    });
    const tenants = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map(async (name) =>
        WatchedTenant.make(admins[0], `silent-${name}`),
      ),
    );
    const [first, second, third, fourth, fifth] = tenants;
    if (!first || !second || !third || !fourth || !fifth) throw new Error('five were made');
    const { admin } = silent;
    const changes = [
      await first.revocation(admin, admins[0]),
      second.planChange(admin),
      third.limitChange(admin),
      fourth.restriction(admin),
      await fifth.modelChange(admin),
    ];
    await bus.flush();
    heard.length = 0;
    const times = await timesUntilSeen(apiRoots, changes, CACHE_MS + 2_000);
    expect(times).toHaveLength(5 * 3);
    // Long before cached answers expire.
    expect(Math.max(...times)).toBeLessThan(5_000);
    await bus.flush();
    expect(heard).toContain('unheard.catalog.changed');
  });
});
