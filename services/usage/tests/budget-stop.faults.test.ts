import { decimalOf, unitsOf } from '@sluice/contracts';
import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import {
  connectCatalogAdmin,
  connectUsage,
  type CatalogAdminClient,
  type UsageClient,
} from '@sluice/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSpending } from './spending-clients.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack({ gateways: 3, catalogs: 2, usage: true });
const MODEL = 'sluice-small';
const ID = 'spender';
const CLIENTS = 50;
/** The price of a token of the model in the demo, in units of 10⁻¹² of the currency. */
const PRICE = { input: 100_000n, cachedInput: 10_000n, output: 400_000n };
const BUDGET = '0.02';
const RAISED = '1000';
/** How soon a decision is known everywhere. */
const KNOWN_WITHIN_MS = 5_000;

let admin: CatalogAdminClient;
let usage: UsageClient;
let key: string;

beforeAll(async () => {
  const { adminAddress, adminToken: token, usageAddress } = stack();
  admin = connectCatalogAdmin({ address: adminAddress, token });
  usage = connectUsage({ address: usageAddress, token });
  const limits = { requests_per_minute: null };
  await create('plans', { id: ID, limits });
  await create('accounts', { id: ID, access: 'granted', onboarding: 'complete' });
  await create('organizations', organizationWith(BUDGET));
  await create('projects', { id: ID, organization: ID });
  ({ key } = await admin.createApiKey({ project: ID, name: 'spends', creator: ID }));
  // The stack is ready before usage is: no request needs it.
  await waitUntil(
    async () => {
      const { ageSeconds } = await usage.listBudgets({});
      return ageSeconds < KNOWN_WITHIN_MS / 1_000;
    },
    { what: 'usage to keep budgets', timeoutMs: 90_000 },
  );
}, 120_000);
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await usage[Symbol.asyncDispose]();
});

function create(kind: string, document: object) {
  return admin.createResource({ kind, document: JSON.stringify(document) });
}

function organizationWith(monthly: string) {
  return { id: ID, plan: ID, members: [{ account: ID }], budget: { monthly } };
}

test('a budget that is crossed under load stops all gateways within 5 s, and a raise lifts that', async () => {
  const services = await stack().services();
  const apiRoots = services
    .filter(({ name }) => name.startsWith('gateway'))
    .map(({ url }) => `${url}/compat/v1`);
  expect(apiRoots).toHaveLength(3);

  await using load = startSpending({ apiRoots, key, model: MODEL, clients: CLIENTS, price: PRICE });
  const { answers } = load;
  const spent = () => answers.reduce((sum, { cost }) => sum + cost, 0n);
  const limit = unitsOf(BUDGET);
  await waitUntil(() => spent() >= limit, { what: 'the budget to be spent', timeoutMs: 120_000 });
  const crossedAt = performance.now();
  const refusedAt = (since: number) =>
    CLIENTS <=
    answers.filter(({ startedAt, status }) => status === 402 && startedAt >= since).length;
  await waitUntil(() => refusedAt(crossedAt), { what: 'refusals', timeoutMs: 30_000 });
  // The load goes on, so that a gateway that still serves would be seen.
  await waitUntil(() => performance.now() - crossedAt > KNOWN_WITHIN_MS, {
    what: 'the time in which all gateways must know',
    timeoutMs: 2 * KNOWN_WITHIN_MS,
  });
  const served = answers.filter(({ status }) => status === 200);
  // So the budget is exceeded by what was in flight, and by what was admitted within this time.
  const lastAdmitted = Math.max(...served.map(({ startedAt }) => startedAt));
  expect(lastAdmitted - crossedAt).toBeLessThan(KNOWN_WITHIN_MS);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  const { budgets, currency } = await usage.listBudgets({ organization: ID });
  expect({ currency, ...budgets[0] }).toMatchObject({
    currency: 'USD',
    monthly: BUDGET,
    spent: decimalOf(spent()),
    stopped: true,
    reached: [50, 80, 100],
  });

  const raisedAt = performance.now();
  await admin.updateResource({
    kind: 'organizations',
    document: JSON.stringify(organizationWith(RAISED)),
  });
  await waitUntil(
    () =>
      answers.filter(({ status, startedAt }) => status === 200 && startedAt > raisedAt).length >=
      CLIENTS,
    { what: 'completions after the raise', timeoutMs: 30_000 },
  );
  const lastRefused = Math.max(
    ...answers.filter(({ status }) => status !== 200).map(({ startedAt }) => startedAt),
  );
  expect(lastRefused - raisedAt).toBeLessThan(KNOWN_WITHIN_MS);
  const after = answers.filter(({ startedAt }) => startedAt > raisedAt);
  expect(after.every(({ status }) => [200, 402, 409].includes(status))).toBe(true);
}, 240_000);
