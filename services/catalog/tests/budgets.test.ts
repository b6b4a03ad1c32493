import { apiKeyDigest } from '@sluice/contracts';
import { useLeakCheck, useNats } from '@sluice/devkit';
import { connectCatalogBudgets } from '@sluice/rpc';
import { expect, it } from 'vitest';
import { ADMIN_TOKEN, startCatalog, type CatalogUnderTest } from './catalog-under-test.ts';
import { account, model, organization, project } from './example-documents.ts';
import { createExamples, update } from './example-resources.ts';

useLeakCheck();
const nats = useNats();

let stores = 0;
function startFresh() {
  stores += 1;
  return startCatalog({ natsUrl: nats.url, namespace: `${nats.namespace}-${stores}` });
}

const budgeted = { ...organization, budget: { monthly: '100' } };
const stop = { month: '2027-01', monthly: '100', spent: '100.000000000001' };

async function refusalAt(catalog: CatalogUnderTest, key: string): Promise<string | undefined> {
  const { principal } = await catalog.client.resolveCredential({ apiKeySha256: apiKeyDigest(key) });
  return principal?.billingRefusal;
}

it('usage reads prices and budgets, and reads them again only when they have changed', async () => {
  await using catalog = await startFresh();
  await createExamples(catalog.admin);
  const prices = [{ input: '0.15', output: '0.6' }];
  await update(catalog.admin, 'models', { ...model, prices });
  const webhooks = [{ url: 'https://acme.example/hook' }];
  await update(catalog.admin, 'organizations', { ...budgeted, webhooks });
  const reply = await catalog.budgets.readBudgets({});
  expect(reply).toMatchObject({
    models: [
      { id: model.id, prices: [{ from: '', input: '0.15', cachedInput: '', output: '0.6' }] },
    ],
    organizations: [
      {
        organization: organization.id,
        monthly: '100',
        thresholds: [50, 80, 100],
        hard: true,
        webhooks: [{ url: 'https://acme.example/hook', secretVersion: 1 }],
        stop: null,
      },
    ],
  });
  await update(catalog.admin, 'accounts', { ...account, restricted: true });
  const again = await catalog.budgets.readBudgets({ knownTag: reply.tag });
  expect(again).toEqual({ tag: reply.tag, models: [], organizations: [] });
  await catalog.budgets.setBudgetStop({ organization: organization.id, stop });
  const stopped = await catalog.budgets.readBudgets({ knownTag: reply.tag });
  expect(stopped.organizations).toMatchObject([{ organization: organization.id, stop }]);
});

it('a stop refuses completions, no file of an operator changes it, and the audit log has its author', async () => {
  await using catalog = await startFresh();
  await createExamples(catalog.admin);
  await update(catalog.admin, 'organizations', budgeted);
  const order = { project: project.id, name: 'laptop', creator: account.id };
  const { key } = await catalog.admin.createApiKey(order);
  const setStop = (wanted?: typeof stop) =>
    catalog.budgets.setBudgetStop({
      organization: organization.id,
      ...(wanted !== undefined && { stop: wanted }),
    });
  expect(await refusalAt(catalog, key)).toBe('');
  await setStop(stop);
  expect(await refusalAt(catalog, key)).toBe('insufficient_quota');
  await update(catalog.admin, 'organizations', { ...budgeted, retention: 'contributor' });
  expect(await refusalAt(catalog, key)).toBe('insufficient_quota');
  await update(catalog.admin, 'organizations', { ...organization, budget: { monthly: '200' } });
  expect(await refusalAt(catalog, key)).toBe('billing_conflict');
  await setStop();
  await setStop();
  expect(await refusalAt(catalog, key)).toBe('');
  const { records } = await catalog.admin.listAudit({ kind: 'budget_stops' });
  expect(records.map(({ who, action, id }) => [who, action, id])).toEqual([
    ['usage', 'delete', organization.id],
    ['usage', 'create', organization.id],
  ]);
});

it('the tokens of usage and of operators open only their own services', async () => {
  await using catalog = await startFresh();
  const addresses = [catalog.service.adminAddress ?? ''];
  using operator = connectCatalogBudgets({ addresses, token: ADMIN_TOKEN });
  const reading = operator.readBudgets({});
  await expect(reading).rejects.toMatchObject({ code: 'unauthenticated' });
});

it.each([
  ['an organization that does not exist', { organization: 'nobody', stop }, 'not_found'],
  [
    'an amount that is not a number',
    { organization: organization.id, stop: { ...stop, spent: 'much' } },
    'invalid_argument',
  ],
])('refuses a stop of %s', async (_, request, code) => {
  await using catalog = await startFresh();
  await createExamples(catalog.admin);
  await expect(catalog.budgets.setBudgetStop(request)).rejects.toMatchObject({ code });
});
