import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { helmMissing, refusalOf, renderChart } from './helm.ts';
import { allOf, environmentOf, oneOf } from './manifest.ts';

const console = {
  enabled: true,
  publicUrl: 'https://console.example.com',
  apiUrl: 'https://api.example.com/compat/v1',
  keysSecret: { name: 'console-keys' },
};
const catalog = { consoleKeys: { console: 'A'.repeat(43) } };

describe.skipIf(cannotRun('the console as Helm renders it', helmMissing()))('the console', () => {
  test('runs only if it is enabled', async () => {
    const names = allOf(await renderChart({}), 'Deployment').map(({ metadata }) => metadata.name);
    expect(names).not.toContain('acme-sluice-console');
  });

  test('has its keys from a Secret, and the addresses of the services that it calls', async () => {
    const manifests = await renderChart({ console, catalog });
    const { spec } = oneOf(manifests, 'Deployment', 'acme-sluice-console');
    const [container] = spec.template.spec.containers;
    expect(environmentOf(container, manifests)).toMatchObject({
      PUBLIC_URL: console.publicUrl,
      API_URL: console.apiUrl,
      CATALOG_ADMIN_ADDRESSES: 'acme-sluice-catalog-admin.tenants.svc:7003',
    });
    expect(JSON.stringify(container)).toContain(
      '"secretKeyRef":{"name":"console-keys","key":"ASSERTION_KEY"}',
    );
  });

  test.each([
    ['without its keys', { console: { ...console, keysSecret: { name: '' } }, catalog }, 'needs'],
    ['that the catalog does not know', { console }, 'catalog.consoleKeys'],
    [
      'with a half of a provider',
      { console: { ...console, oidc: { issuer: 'https://id.example.com' } }, catalog },
      'go together',
    ],
  ])('is refused %s', async (_, values, why) => {
    expect(await refusalOf(values)).toContain(why);
  });
});
