import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { CHART_FOLDER } from './chart-files.ts';
import { EXAMPLES, PASSWORDS } from './example-values.ts';
import { helmMissing, refusalOf, renderChart } from './helm.ts';
import { environmentOf, podsOf, type Manifest, oneOf } from './manifest.ts';
import { containerOf } from './run-container.ts';

const FILES = '/etc/sluice/grpc';
const server = { secretName: 'services-tls' };
const pair = { certificate: 'tls.crt', key: 'tls.key' };
const withAdminPort = { adminTokens: { deploy: PASSWORDS.deploy } };
const job = { enabled: true, admin: 'deploy', file: 'plans: []\n' };

/** The gRPC settings of a container, and the Secret with its files. */
function tlsOf(manifests: readonly Manifest[], pod: string) {
  const settings = Object.entries(environmentOf(containerOf(manifests, pod), manifests));
  const volumes = podsOf(manifests).get(pod)?.spec.volumes ?? [];
  return {
    ...Object.fromEntries(settings.filter(([name]) => /^GRPC_|^ADMIN_CLIENT_/.test(name))),
    secret: volumes.find(({ name }) => name === 'grpc')?.['secret'],
  };
}

const missing = helmMissing();
describe.skipIf(cannotRun('TLS between services as Helm renders it', missing))(
  'TLS between services',
  () => {
    test('is off, and absent from the manifests, until it is turned on', async () => {
      const manifests = await renderChart(EXAMPLES.everything);
      for (const pod of podsOf(manifests).keys()) {
        expect(tlsOf(manifests, pod)).toEqual({ secret: undefined });
      }
    });

    test('gives its files to every service that calls or is called, and none to workers', async () => {
      const manifests = await renderChart({
        ...EXAMPLES.secretsOfOthers,
        fullnameOverride: 'acme',
      });
      const identity = {
        GRPC_TLS: 'true',
        GRPC_CERT_FILE: `${FILES}/tls.crt`,
        GRPC_KEY_FILE: `${FILES}/tls.key`,
      };
      const called = { ...identity, secret: { secretName: 'services-tls' } };
      const calling = { ...identity, GRPC_CA_FILE: `${FILES}/ca.crt` };
      expect(tlsOf(manifests, 'acme-quota-1')).toEqual({
        ...called,
        GRPC_CLIENT_CA_FILE: `${FILES}/callers.crt`,
      });
      expect(tlsOf(manifests, 'acme-catalog-1')).toEqual({
        ...called,
        GRPC_CLIENT_CA_FILE: `${FILES}/ca.crt`,
        ADMIN_CLIENT_CA_FILE: `${FILES}/operators.crt`,
      });
      expect(tlsOf(manifests, 'acme-gateway')).toEqual({
        ...calling,
        secret: { secretName: 'gateway-tls' },
      });
      expect(tlsOf(manifests, 'acme-apply-catalog')).toEqual({
        ...calling,
        secret: { secretName: 'deploy-tls' },
      });
      expect(tlsOf(manifests, 'acme-worker-shared')).toEqual({ secret: undefined });
    });

    test('lets clients of the catalog call quota too, unless quota has a separate file', async () => {
      const manifests = await renderChart({
        grpcTls: {
          enabled: true,
          server: { ...server, clientCa: 'ca.crt' },
          client: { secretName: 'gateway-tls', ...pair },
        },
      });
      for (const pod of ['acme-sluice-quota-0', 'acme-sluice-catalog-0']) {
        expect(tlsOf(manifests, pod)).toHaveProperty('GRPC_CLIENT_CA_FILE', `${FILES}/ca.crt`);
      }
    });

    test('is verified by the authority of the gateways if the Job has no other', async () => {
      const manifests = await renderChart({
        grpcTls: { enabled: true, server, client: { secretName: 'authority', ca: 'root.pem' } },
        catalog: withAdminPort,
        applyCatalog: job,
      });
      for (const pod of ['acme-sluice-gateway', 'acme-sluice-apply-catalog']) {
        expect(tlsOf(manifests, pod)).toEqual({
          GRPC_TLS: 'true',
          GRPC_CA_FILE: `${FILES}/root.pem`,
          secret: { secretName: 'authority' },
        });
      }
    });

    test('is verified by the authorities of the system if no Secret is named', async () => {
      const manifests = await renderChart({ grpcTls: { enabled: true, server } });
      expect(tlsOf(manifests, 'acme-sluice-gateway')).toEqual({ GRPC_TLS: 'true' });
    });

    test('is called by the names that the README requires in the certificate', async () => {
      const manifests = await renderChart({
        fullnameOverride: 'sluice',
        catalog: withAdminPort,
        usage: { enabled: true, databaseUrlSecret: { name: 'database' } },
        applyCatalog: job,
      });
      const usage = oneOf(manifests, 'Service', 'sluice-usage').metadata.name;
      const gateway = environmentOf(containerOf(manifests, 'sluice-gateway'), manifests);
      const { args = [] } = containerOf(manifests, 'sluice-apply-catalog');
      const called = [
        gateway['QUOTA_ADDRESSES'],
        gateway['CATALOG_ADDRESSES'],
        args.at(-1),
        `${usage}.tenants.svc`,
      ];
      const readme = readFileSync(join(CHART_FOLDER, 'README.md'), 'utf8');
      const [, section = ''] = readme.split('## TLS between services');
      const names = Array.from(section.matchAll(/`(sluice-\S+\.svc)`/g), ([, name = '']) =>
        name.replace('NAMESPACE', 'tenants'),
      );
      expect(names).toEqual(called.join(',').replaceAll(/:\d+/g, '').split(','));
    });

    test.each([
      ['no certificate of the servers', { grpcTls: { enabled: true } }, 'secretName'],
      [
        'a certificate of servers in the clear',
        { grpcTls: { server } },
        'grpcTls.server is for TLS: set grpcTls.enabled',
      ],
      [
        'an authority of callers in the clear',
        { grpcTls: { client: { secretName: 'gateway-tls' } } },
        'grpcTls.client is for TLS: set grpcTls.enabled',
      ],
      [
        'files of a Job in the clear',
        { applyCatalog: { tls: { secretName: 'deploy-tls' } } },
        'applyCatalog.tls is for TLS: set grpcTls.enabled',
      ],
      [
        'half a key pair',
        { grpcTls: { enabled: true, server, client: { secretName: 'a', key: 'tls.key' } } },
        'grpcTls.client: certificate and key go together',
      ],
      [
        'a key pair of no Secret',
        { grpcTls: { enabled: true, server, client: pair } },
        'grpcTls.client: certificate and key are of a Secret',
      ],
      [
        'gateways that nobody would let in',
        { grpcTls: { enabled: true, server: { ...server, clientCa: 'ca.crt' } } },
        'grpcTls.server.clientCa: gateways need a certificate',
      ],
      [
        'gateways that quota would not let in',
        { grpcTls: { enabled: true, server: { ...server, quotaClientCa: 'ca.crt' } } },
        'grpcTls.server.quotaClientCa: gateways need a certificate',
      ],
      [
        'operators at a closed port',
        { grpcTls: { enabled: true, server: { ...server, adminClientCa: 'ca.crt' } } },
        'grpcTls.server.adminClientCa: the admin port is closed',
      ],
      [
        'a Job that nobody would let in',
        {
          grpcTls: { enabled: true, server: { ...server, adminClientCa: 'ca.crt' } },
          catalog: withAdminPort,
          applyCatalog: job,
        },
        'grpcTls.server.adminClientCa: applyCatalog needs a certificate',
      ],
      [
        'a setting of the Job that the chart sets itself',
        {
          grpcTls: { enabled: true, server },
          catalog: withAdminPort,
          applyCatalog: { ...job, extraEnv: [{ name: 'GRPC_TLS', value: 'false' }] },
        },
        'applyCatalog: GRPC_TLS is set twice',
      ],
    ])('%s is refused, and named', async (_, values, complaint) => {
      expect(await refusalOf(values)).toContain(complaint);
    });
  },
);
