import { cannotRun } from '@sluice/devkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLES, PASSWORDS } from './example-values.ts';
import { helmMissing, lintFindings, refusalOf, renderChart, renderDependency } from './helm.ts';
import { podsChosenBy, referenceFaults, selectorFaults } from './manifest-faults.ts';
import { allOf, environmentOf, oneOf, podsOf, type Manifest } from './manifest.ts';

const missing = helmMissing();

describe.skipIf(cannotRun('the Helm chart as Helm renders it', missing))(
  'the rendered chart',
  () => {
    describe.each(Object.entries(EXAMPLES))('with the values of %s', (_, values) => {
      let manifests: Manifest[] = [];
      beforeAll(async () => {
        manifests = await renderChart(values);
      });

      test('passes the linter of Helm', async () => {
        expect(await lintFindings(values)).toEqual([]);
      });

      test('has selectors that match exactly the intended pods', () => {
        expect(selectorFaults(manifests)).toEqual([]);
      });

      test('refers to ports, volumes and secrets that exist, and sets no variable twice', () => {
        expect(referenceFaults(manifests)).toEqual([]);
      });

      test('runs its own containers without any rights', () => {
        const own = Array.from(podsOf(manifests).values()).flatMap(({ spec }) => spec.containers);
        for (const { securityContext } of own) {
          expect(securityContext).toEqual({
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          });
        }
      });

      test('kills a hanging service earlier than a draining one', () => {
        for (const { spec } of podsOf(manifests).values()) {
          const { terminationGracePeriodSeconds: drain = 30 } = spec;
          for (const { livenessProbe } of spec.containers) {
            if (livenessProbe === undefined) continue;
            expect(livenessProbe.terminationGracePeriodSeconds).toBeLessThan(drain);
          }
        }
      });

      test('makes no service process 1, which is not ended by a signal before it listens for it', () => {
        const workloads = [...allOf(manifests, 'Deployment'), ...allOf(manifests, 'StatefulSet')];
        for (const { spec } of workloads) {
          expect(spec.template.spec.shareProcessNamespace).toBe(true);
        }
      });

      test('keeps secrets in Secrets alone', () => {
        const open = JSON.stringify(manifests.filter(({ kind }) => kind !== 'Secret'));
        for (const password of Object.values(PASSWORDS)) expect(open).not.toContain(password);
      });

      test('restarts no pod because of a new version of the chart', () => {
        const workloads = [...allOf(manifests, 'Deployment'), ...allOf(manifests, 'StatefulSet')];
        for (const { spec } of workloads) {
          const { labels } = spec.template.metadata;
          expect(labels).not.toHaveProperty(['helm.sh/chart']);
          expect(labels).not.toHaveProperty(['app.kubernetes.io/version']);
        }
      });
    });

    describe('gateways', () => {
      test('get the address of every replica', async () => {
        const manifests = await renderChart({ quota: { replicas: 3 }, catalog: { replicas: 1 } });
        const gateway = oneOf(manifests, 'Deployment', 'acme-sluice-gateway').spec.template;
        expect(environmentOf(gateway.spec.containers[0], manifests)).toMatchObject({
          QUOTA_ADDRESSES: [0, 1, 2]
            .map((number) => `acme-sluice-quota-${number}.tenants.svc:50051`)
            .join(','),
          CATALOG_ADDRESSES: 'acme-sluice-catalog-0.tenants.svc:7002',
        });
        for (const name of ['acme-sluice-quota-2', 'acme-sluice-catalog-0']) {
          const { spec } = oneOf(manifests, 'Service', name);
          expect(podsChosenBy(spec.selector, manifests)).toEqual([name]);
        }
        const services = allOf(manifests, 'Service').map(({ metadata }) => metadata.name);
        for (const { spec } of allOf(manifests, 'StatefulSet')) {
          expect(services).toContain(spec.serviceName);
        }
      });

      test('are replaced one for one, and stay until they have drained', async () => {
        const manifests = await renderChart({
          gateway: { drain: { announceMs: 1, limitMs: 90_000 } },
        });
        const { spec } = oneOf(manifests, 'Deployment', 'acme-sluice-gateway');
        expect(spec.strategy).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
        // 90,001 ms, rounded up to 91 s, plus ten seconds.
        expect(spec.template.spec.terminationGracePeriodSeconds).toBe(101);
      });

      test('have a number of replicas or are scaled by load, not both', async () => {
        const scaled = await renderChart({ gateway: { autoscaling: { enabled: true } } });
        expect(oneOf(scaled, 'Deployment', 'acme-sluice-gateway').spec.replicas).toBeUndefined();
        expect(allOf(scaled, 'HorizontalPodAutoscaler')).toHaveLength(1);
        const fixed = await renderChart({ gateway: { replicas: 5 } });
        expect(oneOf(fixed, 'Deployment', 'acme-sluice-gateway').spec.replicas).toBe(5);
        expect(allOf(fixed, 'HorizontalPodAutoscaler')).toHaveLength(0);
      });
    });

    describe('replicas', () => {
      test('continue to serve after a stop signal until gateways have found their successors', async () => {
        const manifests = await renderChart({ catalog: { serveOnSeconds: 300 } });
        const seconds = (name: string) => {
          const { spec } = oneOf(manifests, 'StatefulSet', name).spec.template;
          const { terminationGracePeriodSeconds, containers } = spec;
          return [containers[0]?.lifecycle?.preStop.sleep.seconds, terminationGracePeriodSeconds];
        };
        expect(seconds('acme-sluice-quota')).toEqual([10, 40]);
        expect(seconds('acme-sluice-catalog')).toEqual([300, 330]);
      });

      test('may stop at once', async () => {
        const manifests = await renderChart({ quota: { serveOnSeconds: 0 } });
        const { spec } = oneOf(manifests, 'StatefulSet', 'acme-sluice-quota').spec.template;
        expect(spec.containers[0]?.lifecycle).toBeUndefined();
      });
    });

    describe('the admin port', () => {
      test('exists only with a token, and only within the cluster', async () => {
        const closed = allOf(await renderChart({}), 'Service');
        expect(closed.map(({ metadata }) => metadata.name)).not.toContain(
          'acme-sluice-catalog-admin',
        );
        const open = await renderChart({ catalog: { adminTokens: { ops: PASSWORDS.operations } } });
        expect(oneOf(open, 'Service', 'acme-sluice-catalog-admin').spec.type).toBe('ClusterIP');
        const catalog = oneOf(open, 'StatefulSet', 'acme-sluice-catalog').spec.template;
        expect(environmentOf(catalog.spec.containers[0], open)).toMatchObject({
          ADMIN_PORT: '7003',
          ADMIN_TOKENS: `ops:${PASSWORDS.operations}`,
        });
      });

      test('restarts the catalog when a token in the values changes', async () => {
        const template = async (token: string) => {
          const manifests = await renderChart({ catalog: { adminTokens: { ops: token } } });
          return oneOf(manifests, 'StatefulSet', 'acme-sluice-catalog').spec.template;
        };
        expect(await template(PASSWORDS.operations)).not.toEqual(await template(PASSWORDS.deploy));
      });
    });

    describe('workers', () => {
      test('with a runtime in the pod end before it, and release their GPU before the next pod starts', async () => {
        const manifests = await renderChart(EXAMPLES.everything);
        const { spec } = oneOf(manifests, 'Deployment', 'acme-sluice-worker-large');
        expect(spec.strategy).toEqual({ rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } });
        const { initContainers, containers, terminationGracePeriodSeconds } = spec.template.spec;
        expect(initContainers).toMatchObject([{ name: 'runtime', restartPolicy: 'Always' }]);
        expect(environmentOf(containers[0], manifests)).toMatchObject({
          RUNTIME_URL: 'http://127.0.0.1:9000',
          POOL: 'large',
          DRAIN_TIMEOUT_MS: '300500',
          QUEUE_LIMIT: '256',
          SHARED_PREFIX_CACHE: 'true',
        });
        // 300.5 s, rounded up to 301 s, plus ten seconds, plus 45 s for the runtime.
        expect(terminationGracePeriodSeconds).toBe(356);
      });

      test('of a runtime elsewhere start before the old ones stop', async () => {
        const manifests = await renderChart(EXAMPLES.everything);
        const { spec } = oneOf(manifests, 'Deployment', 'acme-sluice-worker-small');
        expect(spec.strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
        expect(spec.template.spec.terminationGracePeriodSeconds).toBe(130);
        expect(environmentOf(spec.template.spec.containers[0], manifests)).toMatchObject({
          RUNTIME_URL: 'http://vllm-small:8000/v1',
          RUNTIME_KIND: 'vllm',
          SLOTS: '32',
        });
      });

      test('may have a strategy that replaces the common one entirely', async () => {
        const runtimeUrl = 'http://vllm:8000';
        const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } };
        const manifests = await renderChart({
          workerDefaults: { strategy, runtimeUrl },
          workers: { usual: {}, own: { strategy: { type: 'Recreate' } }, none: { strategy: {} } },
        });
        const strategyOf = (name: string) =>
          oneOf(manifests, 'Deployment', `acme-sluice-worker-${name}`).spec.strategy;
        expect(strategyOf('usual')).toEqual(strategy);
        expect(strategyOf('own')).toEqual({ type: 'Recreate' });
        expect(strategyOf('none')).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
      });

      test('may have a name that YAML would read as a number or as false', async () => {
        const runtimeUrl = 'http://vllm:8000';
        const manifests = await renderChart({ workers: { 1: { runtimeUrl }, no: { runtimeUrl } } });
        const names = ['1', 'no'];
        const workers = names.map((name) => {
          const { spec } = oneOf(manifests, 'Deployment', `acme-sluice-worker-${name}`);
          return spec.selector.matchLabels['sluice/worker'];
        });
        expect(workers).toEqual(names);
      });
    });

    test('another chart may depend on it, and turn it on and off', async () => {
      const on = await renderDependency({ enabled: true });
      expect(on.map(({ kind }) => kind)).toContain('Deployment');
      expect(await renderDependency({ enabled: false })).toEqual([]);
    });

    test('whole numbers stay whole, however large', async () => {
      const manifests = await renderChart(EXAMPLES.everything);
      const gateway = oneOf(manifests, 'Deployment', 'acme-sluice-gateway').spec.template;
      expect(environmentOf(gateway.spec.containers[0], manifests)).toMatchObject({
        BODY_LIMIT_BYTES: '6291456',
      });
      const catalog = oneOf(manifests, 'StatefulSet', 'acme-sluice-catalog').spec.template;
      expect(environmentOf(catalog.spec.containers[0], manifests)).toMatchObject({
        LEDGER_MAX_BYTES: '1099511627776',
      });
    });

    test.each([
      // The messages are those of Helm, and differ between its versions.
      ['a value that is none', { gatway: { replicas: 3 } }, /additional.* '?gatway\b/i],
      [
        'a setting that is none',
        { gateway: { settings: { BODY_LIMIT: 1 } } },
        /additional.* '?BODY_LIMIT\b/i,
      ],
      [
        'a variable that the chart sets itself',
        { gateway: { extraEnv: [{ name: 'DRAIN_LIMIT_MS', value: '1' }] } },
        'gateway: DRAIN_LIMIT_MS is set twice',
      ],
      [
        'a prefix in the ledger of another release',
        { subjectPrefix: 'sluice.ledger' },
        'subjectPrefix: must not have ledger or refusals after its first part',
      ],
      ['a worker without a runtime', { workers: { a: {} } }, 'workers.a: needs runtimeUrl'],
      [
        'a worker with a password in the address of its runtime',
        { workers: { a: { runtimeUrl: 'http://me:hush@gpu:8000' } } },
        'workers.a.runtimeUrl: must be an http or https address with no user',
      ],
      [
        'a worker with a key in the address of its runtime',
        { workers: { a: { runtimeUrl: 'http://gpu:8000/v1?key=hush' } } },
        'a key goes into runtimeApiKeySecret',
      ],
      [
        'a worker with two runtimes',
        { workers: { a: { runtimeUrl: 'http://x', runtime: { container: { image: 'y' } } } } },
        'workers.a: runtimeUrl and runtime.container exclude each other',
      ],
      [
        'two workers for one runtime',
        { workers: { a: { runtimeUrl: 'http://x', replicas: 2 } } },
        'workers.a: replicas must be 1',
      ],
      [
        'certificates for a NATS without TLS',
        { nats: { tls: { secretName: 'nats-tls' } } },
        'nats.url must begin with tls://',
      ],
      [
        'a NATS of which some servers have TLS',
        { nats: { url: 'tls://one:4222,nats://two:4222' } },
        'nats.url: must be all nats:// or all tls://',
      ],
      [
        'half a key pair',
        { redis: { tls: { certificate: 'tls.crt' } } },
        'redis.tls: certificate and key go together',
      ],
      [
        'a key pair for NATS that is of no Secret',
        { nats: { url: 'tls://nats:4222', tls: { certificate: 'tls.crt', key: 'tls.key' } } },
        'nats.tls: certificate and key are of a Secret: set secretName',
      ],
      [
        'a key pair for Redis that is of no Secret',
        { redis: { url: 'rediss://redis:6379', tls: { certificate: 'tls.crt', key: 'tls.key' } } },
        'redis.tls: certificate and key are of a Secret: set secretName',
      ],
      [
        'metrics to be fetched that nobody serves',
        { telemetry: { podMonitor: { enabled: true } } },
        'needs telemetry.prometheus.enabled',
      ],
      [
        'metrics that nobody may fetch',
        { telemetry: { prometheus: { enabled: true } }, networkPolicy: { enabled: true } },
        'networkPolicy.metricsFrom must name who fetches the metrics',
      ],
      [
        'a Job without a token',
        { applyCatalog: { enabled: true, file: 'plans: []' } },
        'applyCatalog: needs tokenSecret.name',
      ],
    ])('%s is refused, and named', async (_, values, complaint) => {
      expect(await refusalOf(values)).toMatch(complaint);
    });

    test.each([
      ['an address', { nats: { url: `http://sluice:${PASSWORDS.nats}@nats` } }, PASSWORDS.nats],
      [
        'a runtime',
        { workers: { a: { runtimeUrl: `http://me:${PASSWORDS.nats}@gpu` } } },
        PASSWORDS.nats,
      ],
      [
        'a runtime without its scheme',
        { workers: { a: { runtimeUrl: `me:${PASSWORDS.nats}@gpu` } } },
        PASSWORDS.nats,
      ],
      ['a token', { catalog: { adminTokens: { ops: 'a comma, and spaces' } } }, 'a comma'],
    ])('the message that refuses %s does not repeat it', async (_, values, secret) => {
      expect(await refusalOf(values)).not.toContain(secret);
    });
  },
);
