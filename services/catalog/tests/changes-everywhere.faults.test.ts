import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { expect, onTestFinished, test } from 'vitest';
import { complete } from './api-requests.ts';
import { useReplicatedStack } from './replicated-stack.ts';
import { StackCommand } from './sluice-command.ts';
import { WatchedTenant, runRounds } from './watched-tenant.ts';

useLeakCheck({ timeoutMs: 10_000 });

// With the default lifetime of cached answers, which is too long to pass the test without announcements.
const replicated = useReplicatedStack();
const TIMEOUT_MS = 5_000;

test('fifty rounds of changes are each seen everywhere within a second', async () => {
  const { admins, apiRoots } = replicated();
  const tenant = await WatchedTenant.make(admins[0], 'fifty');
  const times = await runRounds(tenant, 50, { admins, apiRoots, timeoutMs: TIMEOUT_MS });
  expect(times).toHaveLength(50 * 5 * 3);
  expect(Math.max(...times)).toBeLessThan(1_000);
});

test('with one catalog frozen, changes at the other are still seen everywhere', async () => {
  const { stack, admins, apiRoots } = replicated();
  const tenant = await WatchedTenant.make(admins[0], 'frozen');
  await stack.kill('catalog-2', 'SIGSTOP');
  onTestFinished(async () => stack.kill('catalog-2', 'SIGCONT'));
  const options = { admins: [admins[0]], apiRoots, timeoutMs: TIMEOUT_MS };
  const times = await runRounds(tenant, 10, options);
  // A lookup at the frozen catalog continues at the other after half its deadline. A request needs two lookups.
  expect(Math.max(...times)).toBeLessThan(2_000);
});

test('with one catalog frozen, commands use the other', async () => {
  const { stack } = replicated();
  await stack.kill('catalog', 'SIGSTOP');
  onTestFinished(async () => stack.kill('catalog', 'SIGCONT'));
  const command = new StackCommand(stack);
  const { id } = await command.createKey('demo');
  expect(await command.json('keys', 'revoke', id)).toEqual({ id, revoked: true });
});

test('a catalog that was frozen never gives a stale answer', async () => {
  const { stack, admins, apiRoots } = replicated();
  const tenant = await WatchedTenant.make(admins[0], 'thawed');
  for (let round = 0; round < 3; round += 1) {
    await stack.kill('catalog-2', 'SIGSTOP');
    onTestFinished(async () => stack.kill('catalog-2', 'SIGCONT'));
    const options = { admins: [admins[0]], apiRoots, timeoutMs: TIMEOUT_MS };
    await runRounds(tenant, 1, options);
    await stack.kill('catalog-2', 'SIGCONT');
    const times = await runRounds(tenant, 2, { admins, apiRoots, timeoutMs: TIMEOUT_MS });
    expect(Math.max(...times)).toBeLessThan(2_000);
  }
});

test.each(['catalog', 'catalog-2', 'nats'])(
  'after a crash of %s, changes are seen everywhere again',
  async (name) => {
    const { stack, admins, apiRoots } = replicated();
    const tenant = await WatchedTenant.make(admins[0], `crash-${name}`);
    const before = await stack.service(name);
    await stack.kill(name);
    await stack.restarted(before);
    await waitUntil(
      async () => {
        // The clients in this process have to reconnect, too.
        for (const admin of admins) await admin.listResources({ kind: 'plans' });
        const replies = await Promise.all(
          apiRoots.map(async (apiRoot) => complete(apiRoot, stack.apiKey)),
        );
        return replies.every(({ status }) => status === 200);
      },
      { what: 'every gateway and catalog to serve' },
    );
    const times = await runRounds(tenant, 5, { admins, apiRoots, timeoutMs: TIMEOUT_MS });
    expect(Math.max(...times)).toBeLessThan(1_000);
  },
);
