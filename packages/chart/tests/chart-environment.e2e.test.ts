import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ServiceProcess,
  cannotRun,
  findFreePort,
  useCertificates,
  useLeakCheck,
  useNats,
  useRedis,
} from '@sluice/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PASSWORDS } from './example-values.ts';
import { helmMissing, renderChart } from './helm.ts';
import { allOf, type Manifest } from './manifest.ts';
import {
  containerOf,
  environmentHere,
  runNode,
  startContainer,
  type SecretFiles,
} from './run-container.ts';

const SLUICE = 'packages/cli/src/main.ts';

const CATALOG_FILE = `
plans:
  - id: open
    limits: { requests_per_minute: 60, requests_per_day: null, tokens_per_minute: null, tokens_per_day: null }
    models: ['*']
models:
  - id: demo
    owned_by: acme
    context_length: 32768
    max_output_tokens: 4096
    pool: default
    runtime_model: sluice-demo
accounts:
  - { id: ada, access: granted, onboarding: complete }
organizations:
  - { id: acme, plan: open, retention: zero, billing: ok, members: [{ account: ada }] }
projects:
  - { id: acme-app, organization: acme }
`;

interface Installation extends AsyncDisposable {
  readonly manifests: readonly Manifest[];
  readonly gatewayUrl: string;
  readonly adminAddress: string;
}

/** The services of the chart as processes of this machine, each in the environment of its container. */
async function install(values: object, files: SecretFiles): Promise<Installation> {
  await using starting = new AsyncDisposableStack();
  const [runtime, quota, catalog, admin, gateway] = await Promise.all(
    Array.from({ length: 5 }, async () => String(await findFreePort())),
  );
  const runtimeUrl = `http://127.0.0.1:${runtime}`;
  const manifests = await renderChart({ ...values, workers: { demo: { runtimeUrl } } });
  const start = async (pod: string, instead: Record<string, string>) =>
    starting.use(await startContainer({ manifests, pod, instead, files }));
  starting.use(
    await ServiceProcess.start({
      name: 'simulator',
      entry: 'packages/simulator/src/main.ts',
      settings: { PORT: runtime ?? '' },
      readyUrl: `${runtimeUrl}/health`,
    }),
  );
  await start('acme-sluice-quota-0', { PORT: quota ?? '' });
  await start('acme-sluice-catalog-0', { PORT: catalog ?? '', ADMIN_PORT: admin ?? '' });
  await start('acme-sluice-worker-demo', {});
  await start('acme-sluice-gateway', {
    PORT: gateway ?? '',
    QUOTA_ADDRESSES: `127.0.0.1:${quota}`,
    CATALOG_ADDRESSES: `127.0.0.1:${catalog}`,
  });
  const running = starting.move();
  return {
    manifests,
    gatewayUrl: `http://127.0.0.1:${gateway}`,
    adminAddress: `127.0.0.1:${admin}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const { authority, server, client } = useCertificates();
const files: SecretFiles = {
  'services-tls': { 'tls.crt': server.certificate, 'tls.key': server.key, 'ca.crt': authority },
  'gateway-tls': { 'tls.crt': client.certificate, 'tls.key': client.key, 'ca.crt': authority },
};
const grpcTls = {
  enabled: true,
  server: { secretName: 'services-tls', clientCa: 'ca.crt', adminClientCa: 'ca.crt' },
  client: { secretName: 'gateway-tls', certificate: 'tls.crt', key: 'tls.key' },
};

const missing = cannotRun('the services in the environment of the Helm chart', helmMissing());
describe.skipIf(missing).each([
  ['in the clear', {}],
  ['with TLS between services', { grpcTls }],
])('in the environment of the chart, %s', (_, security) => {
  useLeakCheck();
  const redis = useRedis();
  const nats = useNats();
  let installation: Installation | undefined;
  const installed = () => {
    if (installation === undefined) throw new Error('it is installed in a hook');
    return installation;
  };
  beforeAll(async () => {
    const values = {
      ...security,
      bindAddress: '127.0.0.1',
      nats: { url: nats.url },
      redis: { url: redis.url },
      subjectPrefix: nats.namespace,
      catalog: { bucket: nats.namespace, adminTokens: { deploy: PASSWORDS.deploy } },
      quota: { settings: { REDIS_KEY_PREFIX: `${redis.namespace}:` } },
      applyCatalog: { enabled: true, admin: 'deploy', file: CATALOG_FILE },
    };
    installation = await install(values, files);
  });
  afterAll(async () => {
    await installation?.[Symbol.asyncDispose]();
  });

  test('every service gets ready, and the test of the chart passes', async () => {
    const { manifests, gatewayUrl } = installed();
    const [program, ...parameters] =
      containerOf(manifests, 'acme-sluice-test-gateway').command ?? [];
    expect(program).toBe('node');
    const service = 'http://acme-sluice-gateway.tenants.svc:80';
    expect(parameters.join(' ')).toContain(`"${service}/compat/v1/models"`);
    const here = parameters.map((parameter) => parameter.replace(service, gatewayUrl));
    expect(await runNode(here)).toMatch(/^401 [0-9a-f-]{36} /);
  });

  test('the Job applies its file, and a key of its project gets an answer', async () => {
    const { manifests, gatewayUrl, adminAddress } = installed();
    const job = containerOf(manifests, 'acme-sluice-apply-catalog');
    const environment = environmentHere(manifests, 'acme-sluice-apply-catalog', files);
    const folder = await mkdtemp(join(tmpdir(), 'sluice-chart-'));
    try {
      const file = join(folder, 'sluice.yaml');
      const [configMap] = allOf(manifests, 'ConfigMap');
      await writeFile(file, configMap?.data['sluice.yaml'] ?? '');
      const places: Record<string, string> = {
        '/etc/sluice/catalog/sluice.yaml': file,
        'acme-sluice-catalog-admin.tenants.svc:7003': adminAddress,
      };
      const here = (job.args ?? []).map((argument) => places[argument] ?? argument);
      expect(here).toEqual(['apply', '--file', file, '--address', adminAddress]);
      await runNode([SLUICE, ...here], environment);
    } finally {
      await rm(folder, { recursive: true });
    }
    const made = await runNode(
      [SLUICE, 'keys', 'create', '--project', 'acme-app', '--json', '--address', adminAddress],
      environment,
    );
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(made));
    const reply = await fetch(`${gatewayUrl}/compat/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }),
    });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });
});
