import { ServiceProcess, cannotRun, useLeakCheck, useNats, useRedis } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { describe, expect, test } from 'vitest';
import { PASSWORDS } from './example-values.ts';
import { helmMissing, renderChart } from './helm.ts';
import type { Manifest } from './manifest.ts';
import { startContainer } from './run-container.ts';
import { CATALOG_FILE, complete, createKey, runApplyJob } from './tenant.ts';
import { useGrpcTls } from './use-grpc-tls.ts';

const { grpcTls, operatorTls, files } = useGrpcTls();

/** The statuses of five requests. The test fails if a single one is refused. */
async function statuses(gateway: string, key: string): Promise<number[]> {
  const seen: number[] = [];
  for (let request = 0; request < 5; request += 1) {
    const reply = await complete(gateway, key, { max_completion_tokens: 1 });
    await reply.body?.cancel();
    seen.push(reply.status);
  }
  return seen;
}
const ALL_SERVED = [200, 200, 200, 200, 200];

const missing = cannotRun('an upgrade of the Helm chart that turns TLS on', helmMissing());
describe.skipIf(missing)('an upgrade that turns TLS on', () => {
  useLeakCheck();
  const redis = useRedis();
  const nats = useNats();

  test('continues to serve while there are replicas and gateways with and without TLS', async () => {
    await using running = new AsyncDisposableStack();
    const ports = await Promise.all(
      Array.from({ length: 9 }, async () => String(await findFreePort())),
    );
    const [runtime = '', before = '', after = '', ...ofReplicas] = ports;
    const quotas = ofReplicas.slice(0, 2);
    const catalogs = ofReplicas.slice(2, 4);
    const admins = ofReplicas.slice(4);
    const runtimeUrl = `http://127.0.0.1:${runtime}`;
    const values = {
      bindAddress: '127.0.0.1',
      nats: { url: nats.url },
      redis: { url: redis.url },
      subjectPrefix: nats.namespace,
      catalog: { bucket: nats.namespace, adminTokens: { deploy: PASSWORDS.deploy } },
      quota: { settings: { REDIS_KEY_PREFIX: `${redis.namespace}:` } },
      applyCatalog: { enabled: true, admin: 'deploy', file: CATALOG_FILE },
      workers: { demo: { runtimeUrl } },
      gateway: { drain: { announceMs: 0 } },
    };
    const old = await renderChart(values);
    const upgraded = await renderChart({
      ...values,
      grpcTls,
      applyCatalog: { ...values.applyCatalog, tls: operatorTls },
    });

    const start = async (manifests: Manifest[], pod: string, instead: Record<string, string>) =>
      running.use(await startContainer({ manifests, pod, instead, files }));
    const startReplicas = async (manifests: Manifest[], number: 0 | 1) => [
      await start(manifests, `acme-sluice-quota-${number}`, { PORT: quotas[number] ?? '' }),
      await start(manifests, `acme-sluice-catalog-${number}`, {
        PORT: catalogs[number] ?? '',
        ADMIN_PORT: admins[number] ?? '',
      }),
    ];
    const startGateway = (manifests: Manifest[], port: string) =>
      start(manifests, 'acme-sluice-gateway', {
        PORT: port,
        QUOTA_ADDRESSES: quotas.map((quota) => `127.0.0.1:${quota}`).join(','),
        CATALOG_ADDRESSES: catalogs.map((catalog) => `127.0.0.1:${catalog}`).join(','),
      });
    const end = (replaced: readonly ServiceProcess[]) =>
      Promise.all(replaced.map((service) => service.end('SIGTERM')));

    running.use(
      await ServiceProcess.start({
        name: 'simulator',
        entry: 'packages/simulator/src/main.ts',
        settings: { PORT: runtime },
        readyUrl: `${runtimeUrl}/health`,
      }),
    );
    await start(old, 'acme-sluice-worker-demo', {});
    const first = await startReplicas(old, 0);
    const last = await startReplicas(old, 1);
    const oldGateway = await startGateway(old, before);
    const adminAddress = `127.0.0.1:${admins[0]}`;
    await runApplyJob({ manifests: old, adminAddress, files });
    const key = await createKey({ manifests: old, adminAddress, files });
    expect(await statuses(`http://127.0.0.1:${before}`, key)).toEqual(ALL_SERVED);

    // Kubernetes replaces the replica with the highest number first.
    await end(last);
    await startReplicas(upgraded, 1);
    await startGateway(upgraded, after);
    // No gateway has cached this key, so each one must reach a catalog of its own kind (with or without TLS).
    const unknown = await createKey({ manifests: old, adminAddress, files });
    for (const port of [before, after]) {
      expect(await statuses(`http://127.0.0.1:${port}`, unknown)).toEqual(ALL_SERVED);
    }
    const replaced = { manifests: old, adminAddress: `127.0.0.1:${admins[1]}`, files };
    await expect(createKey(replaced)).rejects.toThrow('cannot be reached');

    await end([oldGateway]);
    await end(first);
    await startReplicas(upgraded, 0);
    expect(await statuses(`http://127.0.0.1:${after}`, key)).toEqual(ALL_SERVED);
    const another = await createKey({ manifests: upgraded, adminAddress, files });
    expect(await statuses(`http://127.0.0.1:${after}`, another)).toEqual(ALL_SERVED);
  });
});
