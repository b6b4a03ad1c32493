import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { queryFaults } from '../monitoring/query-faults.ts';
import { helmMissing, refusalOf, renderChart } from './helm.ts';
import { allOf, environmentOf, oneOf } from './manifest.ts';

const missing = helmMissing();
const container = { image: 'vllm/vllm-openai:v0.11.0' };
const autoscaling = { enabled: true, prometheusAddress: 'http://prometheus:9090' };
const scaled = { pool: 'large', runtime: { container }, autoscaling };

describe.skipIf(cannotRun('the autoscaling of workers as Helm renders it', missing))(
  'autoscaling of workers',
  () => {
    test('is off by default', async () => {
      const manifests = await renderChart({ workers: { large: { runtime: { container } } } });
      expect(allOf(manifests, 'ScaledObject')).toEqual([]);
      expect(oneOf(manifests, 'Deployment', 'acme-sluice-worker-large').spec.replicas).toBe(1);
    });

    test('scales the Deployment of an entry from zero by the demand for its pool', async () => {
      const manifests = await renderChart({ workers: { large: scaled } });
      const name = 'acme-sluice-worker-large';
      expect(oneOf(manifests, 'Deployment', name).spec.replicas).toBeUndefined();
      const { spec } = oneOf(manifests, 'ScaledObject', name);
      expect(spec).toMatchObject({
        scaleTargetRef: { kind: 'Deployment', name },
        minReplicaCount: 0,
        maxReplicaCount: 4,
        triggers: [
          {
            type: 'prometheus',
            metadata: {
              serverAddress: 'http://prometheus:9090',
              threshold: '64',
              activationThreshold: '0',
              ignoreNullValues: 'false',
            },
          },
        ],
      });
      expect(spec.triggers[0].metadata.query).toBe(
        'sum(sluice_pool_waiting{pool="large"}) + max(sluice_pool_running{pool="large"})' +
          ' + max(sluice_pool_queued{pool="large"}) + clamp_max(sum(sluice_pool_unserved{pool="large"}), 1)',
      );
    });

    test('queries metrics that gateways report', async () => {
      const manifests = await renderChart({ workers: { large: scaled } });
      const [{ metadata }] = oneOf(manifests, 'ScaledObject', 'acme-sluice-worker-large').spec
        .triggers;
      expect(queryFaults(metadata.query)).toEqual([]);
    });

    test('may be adjusted', async () => {
      const manifests = await renderChart({
        telemetry: { prometheus: { enabled: true }, podMonitor: { enabled: true } },
        workers: {
          large: {
            ...scaled,
            slots: 32,
            autoscaling: {
              ...autoscaling,
              minReplicas: 1,
              maxReplicas: 9,
              activationRequests: 3,
              pollingSeconds: 2,
              cooldownSeconds: 1_800,
              authenticationRef: { name: 'prometheus' },
            },
          },
          small: {
            pool: 'small',
            runtimeUrl: 'http://vllm-small:8000',
            autoscaling: {
              ...autoscaling,
              maxReplicas: 1,
              requestsPerWorker: 5,
              metricLabels: 'cluster="a"',
            },
          },
        },
      });
      const large = oneOf(manifests, 'ScaledObject', 'acme-sluice-worker-large').spec;
      expect(large).toMatchObject({
        minReplicaCount: 1,
        maxReplicaCount: 9,
        pollingInterval: 2,
        cooldownPeriod: 1_800,
        triggers: [
          {
            metadata: { threshold: '32', activationThreshold: '3' },
            authenticationRef: { name: 'prometheus' },
          },
        ],
      });
      expect(large.triggers[0].metadata.query).toContain('{pool="large", namespace="tenants"}');
      const { metadata } = oneOf(manifests, 'ScaledObject', 'acme-sluice-worker-small').spec
        .triggers[0];
      expect(metadata.threshold).toBe('5');
      expect(metadata.query).toContain('{pool="small", cluster="a"}');
    });

    test.each([
      // RUN_TIMEOUT_MS of the gateways is 600 s by default.
      ['ten minutes by default', {}, {}, 600_000],
      ['the run timeout of the gateways', { RUN_TIMEOUT_MS: 1_800_000 }, {}, 1_800_000],
      ['drainMs if it is longer', {}, { drainMs: 3_600_000 }, 3_600_000],
    ])(
      'drains a worker for %s, so that no stream is broken',
      async (_, settings, entry, drainMs) => {
        const manifests = await renderChart({
          gateway: { settings },
          workers: { large: { ...scaled, ...entry } },
        });
        const { spec } = oneOf(manifests, 'Deployment', 'acme-sluice-worker-large').spec.template;
        expect(environmentOf(spec.containers[0], manifests)).toMatchObject({
          DRAIN_TIMEOUT_MS: String(drainMs),
        });
        // Ten seconds more, and 30 s for the runtime.
        expect(spec.terminationGracePeriodSeconds).toBe(drainMs / 1_000 + 40);
      },
    );

    test.each([
      [
        'no address of a Prometheus',
        { large: { ...scaled, autoscaling: { enabled: true } } },
        'workers.large: autoscaling needs prometheusAddress',
      ],
      [
        'a pool of two entries',
        { large: scaled, other: { pool: 'large', runtimeUrl: 'http://vllm:8000' } },
        'workers.large: autoscaling needs a pool of its own',
      ],
      [
        'the default pool of two entries',
        {
          large: { ...scaled, pool: undefined },
          other: { runtimeUrl: 'http://vllm:8000' },
        },
        'workers.other has the pool default too',
      ],
      [
        'more workers at least than at most',
        { large: { ...scaled, autoscaling: { ...autoscaling, minReplicas: 5 } } },
        'autoscaling.minReplicas must not be above autoscaling.maxReplicas',
      ],
      [
        'several workers for one runtime elsewhere',
        { large: { pool: 'large', runtimeUrl: 'http://vllm:8000', autoscaling } },
        'workers.large: autoscaling.maxReplicas must be 1',
      ],
    ])('with %s is refused', async (_, workers, complaint) => {
      expect(await refusalOf({ workers })).toContain(complaint);
    });
  },
);
