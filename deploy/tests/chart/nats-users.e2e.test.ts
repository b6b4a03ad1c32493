import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun, useLeakCheck, useRedis, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PASSWORDS } from './example-values.ts';
import { helmMissing } from './helm.ts';
import { install } from './installation.ts';
import { Manifest } from './manifest.ts';
import { CATALOG_FILE, complete, createKey, limitsLeft, runApplyJob } from './tenant.ts';

/** The values for the Helm chart of NATS, which removes `"<<` and `>>"` around a text. */
const NatsValues = z.object({ config: z.object({ merge: z.object({ accounts: z.unknown() }) }) });
const USERS = { gateway: 'gateway', worker: 'worker-default', catalog: 'catalog' } as const;
const SERVICES = ['gateway', 'worker', 'catalog'] as const;

async function accounts(): Promise<string> {
  const file = join(import.meta.dirname, '../../helm/nats-accounts.json');
  const { config } = NatsValues.parse(JSON.parse(await readFile(file, 'utf8')));
  const text = JSON.stringify(config.merge.accounts);
  return text.replaceAll(/"<< \$NATS_\w+ >>"/g, JSON.stringify(PASSWORDS.nats));
}

interface GuardedNats extends AsyncDisposable {
  readonly address: string;
  /** The connected users, without duplicates. */
  users(): Promise<string[]>;
}

const Connections = z.object({
  connections: z.array(z.object({ name: z.string(), authorized_user: z.string() })),
});

const program = process.env['SLUICE_NATS_SERVER'] ?? '';

/** Starts a NATS server that meets the requirements of the chart and accepts only the users of the services. */
async function startGuardedNats(): Promise<GuardedNats> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-chart-nats-'));
  starting.defer(() => rm(folder, { recursive: true }));
  const settings = join(folder, 'nats.conf');
  const common = join(import.meta.dirname, '../../nats/nats.conf');
  const shipped = await readFile(common, 'utf8');
  await writeFile(settings, `${shipped}\naccounts: ${await accounts()}\n`);
  const [port, watched] = [String(await findFreePort()), String(await findFreePort())];
  const place = ['-c', settings, '-p', port, '-m', watched, '-sd', join(folder, 'data')];
  const nats = spawn(program, place, { stdio: 'ignore' });
  starting.defer(async () => {
    const ended = once(nats, 'exit');
    nats.kill('SIGKILL');
    await ended;
  });
  const page = `http://127.0.0.1:${watched}`;
  await waitUntil(async () => (await fetch(`${page}/healthz`)).ok, { what: 'NATS to answer' });
  const running = starting.move();
  return {
    address: `127.0.0.1:${port}`,
    users: async () => {
      const reply = await fetch(`${page}/connz?auth=true`);
      const { connections } = Connections.parse(await reply.json());
      return Array.from(new Set(connections.map(({ authorized_user: user }) => user)));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const missing = program.startsWith('/') ? helmMissing() : 'SLUICE_NATS_SERVER is no program';
describe.skipIf(cannotRun('the Helm chart with a user of NATS for each service', missing))(
  'a NATS with a user for each service',
  () => {
    useLeakCheck();
    const redis = useRedis();

    test('carries the services in the environment of the chart', async () => {
      await using nats = await startGuardedNats();
      const secrets = SERVICES.map((service) =>
        Manifest.parse({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: `nats-${service}`, labels: {} },
          data: { url: btoa(`nats://${USERS[service]}:${PASSWORDS.nats}@${nats.address}`) },
        }),
      );
      const secretOf = (service: (typeof SERVICES)[number]) => ({
        natsUrlSecret: { name: `nats-${service}`, key: 'url' },
      });
      const values = {
        bindAddress: '127.0.0.1',
        nats: { url: `nats://${nats.address}` },
        redis: { url: redis.url },
        gateway: secretOf('gateway'),
        workerDefaults: secretOf('worker'),
        catalog: { ...secretOf('catalog'), adminTokens: { deploy: PASSWORDS.deploy } },
        quota: { settings: { REDIS_KEY_PREFIX: `${redis.namespace}:` } },
        applyCatalog: { enabled: true, admin: 'deploy', file: CATALOG_FILE },
      };
      await using installed = await install(values, { secrets });
      const catalog = { ...installed, files: {} };
      await runApplyJob(catalog);
      const reply = await complete(installed.gatewayUrl, await createKey(catalog));
      expect(reply.status).toBe(200);
      await reply.body?.cancel();
      expect(await limitsLeft(catalog)).toMatchObject({
        limits: { requests_per_minute: { limit: 60 } },
      });
      expect((await nats.users()).toSorted()).toEqual(Object.values(USERS).toSorted());
    });
  },
);
