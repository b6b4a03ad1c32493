import { cannotRun, useLeakCheck, useNats, useRedis } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORDS } from './example-values.ts';
import { helmMissing } from './helm.ts';
import { install, type Installation } from './installation.ts';
import { containerOf, runNode } from './run-container.ts';
import { CATALOG_FILE, complete, createKey, limitsLeft, runApplyJob } from './tenant.ts';
import { useGrpcTls } from './use-grpc-tls.ts';

const { grpcTls, operatorTls, files } = useGrpcTls();
const missing = cannotRun('the services in the environment of the Helm chart', helmMissing());
// Without TLS the services run in nats-users.e2e.test.ts.
describe.skipIf(missing)('in the environment of the chart, with TLS between services', () => {
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
      grpcTls,
      bindAddress: '127.0.0.1',
      nats: { url: nats.url },
      redis: { url: redis.url },
      subjectPrefix: nats.namespace,
      catalog: { bucket: nats.namespace, adminTokens: { deploy: PASSWORDS.deploy } },
      quota: { settings: { REDIS_KEY_PREFIX: `${redis.namespace}:` } },
      applyCatalog: { tls: operatorTls, enabled: true, admin: 'deploy', file: CATALOG_FILE },
    };
    installation = await install(values, { files });
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
    const { gatewayUrl, ...catalog } = installed();
    await runApplyJob({ ...catalog, files });
    const key = await createKey({ ...catalog, files });
    const reply = await complete(gatewayUrl, key);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  test('operators can ask quota what is left of the limits', async () => {
    await runApplyJob({ ...installed(), files });
    expect(await limitsLeft({ ...installed(), files })).toMatchObject({
      limits: { requests_per_minute: { limit: 60 } },
    });
  });
});
