import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { PASSWORDS } from './example-values.ts';
import { helmMissing, refusalOf, renderChart } from './helm.ts';
import { allOf, environmentOf, oneOf } from './manifest.ts';

const databaseUrlSecret = { name: 'database', key: 'url' };

describe.skipIf(cannotRun('usage as Helm renders it', helmMissing()))('usage', () => {
  test('runs only if it is enabled', async () => {
    const names = allOf(await renderChart({}), 'Deployment').map(({ metadata }) => metadata.name);
    expect(names).not.toContain('acme-sluice-usage');
  });

  test('has the admin tokens of the catalog, and its database from a Secret', async () => {
    const manifests = await renderChart({
      usage: { enabled: true, databaseUrlSecret },
      catalog: { adminTokens: { ops: PASSWORDS.operations } },
    });
    const { spec } = oneOf(manifests, 'Deployment', 'acme-sluice-usage');
    const [container] = spec.template.spec.containers;
    expect(environmentOf(container, manifests)).toMatchObject({
      PORT: '7004',
      ADMIN_TOKENS: `ops:${PASSWORDS.operations}`,
    });
    expect(JSON.stringify(container)).toContain('"secretKeyRef":{"name":"database","key":"url"}');
    expect(spec.strategy).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
  });

  test('with a folder is stopped before its successor starts', async () => {
    const settings = { DATABASE_FOLDER: '/data/tables' };
    const manifests = await renderChart({ usage: { enabled: true, settings } });
    const { strategy } = oneOf(manifests, 'Deployment', 'acme-sluice-usage').spec;
    expect(strategy).toEqual({ type: 'Recreate' });
  });

  test('keeps budgets with tokens from a Secret, by the admin port, which its pods may reach', async () => {
    const manifests = await renderChart({
      usage: { enabled: true, databaseUrlSecret, budgets: { secretName: 'budgets' } },
      catalog: { adminTokens: { ops: PASSWORDS.operations } },
      networkPolicy: { enabled: true },
    });
    const containerOf = (name: string) =>
      oneOf(manifests, 'Deployment', name).spec.template.spec.containers[0];
    const usage = JSON.stringify(containerOf('acme-sluice-usage'));
    for (const key of ['CATALOG_TOKEN', 'WEBHOOK_KEY']) {
      expect(usage).toContain(`"secretKeyRef":{"name":"budgets","key":"${key}"}`);
    }
    expect(usage).toContain('acme-sluice-catalog-admin');
    const policy = JSON.stringify(oneOf(manifests, 'NetworkPolicy', 'acme-sluice-catalog').spec);
    expect(policy).toMatch(/"app.kubernetes.io\/component":"usage"/);
  });

  test('cannot keep budgets without the admin port', async () => {
    const usage = { enabled: true, databaseUrlSecret, budgets: { secretName: 'budgets' } };
    expect(await refusalOf({ usage })).toContain('usage.budgets.secretName needs the admin port');
  });

  test.each([
    ['without a database', {}],
    ['with two', { databaseUrlSecret, settings: { DATABASE_FOLDER: '/data' } }],
  ])('is refused %s', async (_, database) => {
    const refusal = await refusalOf({ usage: { enabled: true, ...database } });
    expect(refusal).toContain('usage: needs databaseUrlSecret');
  });
});
