import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { helmMissing, renderChart } from './helm.ts';
import { podsOf, type Manifest } from './manifest.ts';
import { containerOf } from './run-container.ts';

const GATEWAY = 'acme-sluice-gateway';
const CATALOG = 'acme-sluice-catalog-0';
const USUAL = 'acme-sluice-worker-usual';
const OWN = 'acme-sluice-worker-own';

/** The Secrets with the NATS addresses and credentials of a pod, and whether the pod has a hash of them. */
function userOf(manifests: readonly Manifest[], pod: string) {
  const { env } = containerOf(manifests, pod);
  const { metadata, spec } = podsOf(manifests).get(pod) ?? {};
  return {
    url: env.find(({ name }) => name === 'NATS_URL')?.valueFrom?.secretKeyRef,
    file: env.find(({ name }) => name === 'NATS_CREDS_FILE')?.value,
    volume: spec?.volumes.find(({ name }) => name === 'nats-credentials')?.['secret'],
    isHashed: metadata?.annotations?.['sluice/secrets'] !== undefined,
  };
}

/** Two workers. `own` has additional values, such as a NATS user of its own. */
function workersWith(own: object) {
  const runtimeUrl = 'http://vllm:8000';
  return { usual: { runtimeUrl }, own: { runtimeUrl, ...own } };
}

const missing = helmMissing();
describe.skipIf(cannotRun('users of NATS as Helm renders them', missing))(
  'the user of NATS',
  () => {
    test('is the one in the address of the values if there is no Secret', async () => {
      const manifests = await renderChart({ workers: workersWith({}) });
      const url = { name: 'acme-sluice-nats', key: 'NATS_URL' };
      for (const pod of [GATEWAY, CATALOG, USUAL]) {
        expect(userOf(manifests, pod)).toEqual({ url, isHashed: true });
      }
    });

    test('can be set for each service by its own address, with one for all other services', async () => {
      const manifests = await renderChart({
        nats: { urlSecret: { name: 'nats-common' } },
        gateway: { natsUrlSecret: { name: 'nats-gateway', key: 'url' } },
        workers: workersWith({ natsUrlSecret: { name: 'nats-worker' } }),
      });
      const urls = [GATEWAY, CATALOG, USUAL, OWN].map((pod) => userOf(manifests, pod).url);
      expect(urls).toEqual([
        { name: 'nats-gateway', key: 'url' },
        { name: 'nats-common', key: 'NATS_URL' },
        { name: 'nats-common', key: 'NATS_URL' },
        { name: 'nats-worker', key: 'NATS_URL' },
      ]);
    });

    test('is one for each service over TLS, without the common address that no service uses', async () => {
      const own = (name: string) => ({ natsUrlSecret: { name } });
      const manifests = await renderChart({
        nats: { tls: { secretName: 'nats-tls' } },
        gateway: own('nats-gateway'),
        catalog: own('nats-catalog'),
        workerDefaults: own('nats-worker'),
        workers: workersWith({}),
      });
      expect(userOf(manifests, USUAL).url).toEqual({ name: 'nats-worker', key: 'NATS_URL' });
      const names = manifests.map(({ metadata }) => metadata.name);
      expect(names).not.toContain('acme-sluice-nats');
    });

    test('can be set for each service by its own credentials, with one for all other services', async () => {
      const manifests = await renderChart({
        nats: { credentialsSecret: { name: 'nats-common' } },
        catalog: { natsCredentialsSecret: { name: 'nats-catalog', key: 'catalog.creds' } },
        workerDefaults: { natsCredentialsSecret: { name: 'nats-workers' } },
        workers: workersWith({ natsCredentialsSecret: { name: 'nats-worker' } }),
      });
      const users = [GATEWAY, CATALOG, USUAL, OWN].map((pod) => {
        const { file, volume } = userOf(manifests, pod);
        return [file, volume];
      });
      const folder = '/etc/sluice/nats-credentials';
      expect(users).toEqual([
        [`${folder}/user.creds`, { secretName: 'nats-common' }],
        [`${folder}/catalog.creds`, { secretName: 'nats-catalog' }],
        [`${folder}/user.creds`, { secretName: 'nats-workers' }],
        [`${folder}/user.creds`, { secretName: 'nats-worker' }],
      ]);
    });

    test('in a separate Secret does not replace pods when the common Secret changes', async () => {
      const manifests = await renderChart({
        gateway: { natsUrlSecret: { name: 'nats-gateway' } },
        workers: workersWith({ natsUrlSecret: { name: 'nats-worker' } }),
      });
      const hashed = [GATEWAY, USUAL, OWN].map((pod) => userOf(manifests, pod).isHashed);
      expect(hashed).toEqual([false, true, false]);
    });
  },
);
