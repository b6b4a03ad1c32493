import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from './example-values.ts';
import { helmMissing, renderChart } from './helm.ts';
import { allOf, oneOf } from './manifest.ts';

const { networkPolicy, ...others } = EXAMPLES.everything;
const partOf = (component: string) => ({
  'app.kubernetes.io/name': 'sluice',
  'app.kubernetes.io/instance': 'acme',
  'app.kubernetes.io/component': component,
});
const operator = { 'sluice/admin-client': 'true' };

/** The labels of the pods that may reach a port of a part. A rule without peers allows all pods, shown as undefined. */
async function allowedIn(part: string, port: string, values: object) {
  const { spec } = oneOf(await renderChart(values), 'NetworkPolicy', `acme-sluice-${part}`);
  return spec.ingress
    .filter(({ ports }) => ports.some((open) => open.port === port))
    .flatMap(({ from = [] }) =>
      from.length === 0 ? [undefined] : from.map(({ podSelector }) => podSelector?.matchLabels),
    );
}

const missing = helmMissing();
describe.skipIf(cannotRun('network policies as Helm renders them', missing))(
  'the network policy',
  () => {
    test('keeps the admin port closed to all but operators', async () => {
      const allowed = await allowedIn('catalog', 'admin', EXAMPLES.everything);
      expect(allowed).toEqual([operator, partOf('apply-catalog')]);
    });

    test('lets gateways and operators ask quota, but not the Job that applies the catalog', async () => {
      const allowed = await allowedIn('quota', 'grpc', EXAMPLES.everything);
      expect(allowed).toEqual([partOf('gateway'), operator]);
    });

    test.each([
      ['no operators are named', { ...others, networkPolicy: { ...networkPolicy, adminFrom: [] } }],
      ['there is no admin port', { networkPolicy: { enabled: true } }],
    ])('lets only gateways reach quota if %s', async (_, values) => {
      expect(await allowedIn('quota', 'grpc', values)).toEqual([partOf('gateway')]);
    });

    test('lets only operators ask usage', async () => {
      expect(await allowedIn('usage', 'grpc', EXAMPLES.everything)).toEqual([operator]);
    });

    test('admits no connection to workers', async () => {
      const manifests = await renderChart(EXAMPLES.secretsOfOthers);
      const policies = allOf(manifests, 'NetworkPolicy');
      const ofWorkers = policies.find(({ metadata }) => metadata.name.endsWith('-worker'));
      expect(ofWorkers?.spec.ingress).toEqual([]);
    });
  },
);
