import { randomBytes } from 'node:crypto';
import { useLeakCheck, useNats } from '@sluice/devkit';
import {
  assertionKeySetting,
  connectCatalogConsole,
  publicAssertionKey,
  type CatalogConsoleClient,
} from '@sluice/rpc';
import { expect, it } from 'vitest';
import { logger, startCatalog, type CatalogUnderTest } from './catalog-under-test.ts';
import { plan } from './example-documents.ts';
import { create } from './example-resources.ts';

useLeakCheck();
const nats = useNats();

const key = assertionKeySetting().parse(`console:${randomBytes(32).toString('base64url')}`);
const environment = { CONSOLE_KEYS: publicAssertionKey(key), CONSOLE_PLAN: plan.id };
const person = {
  issuer: 'https://id.example',
  subject: 'subject-of-ada',
  email: 'ada@example.com',
  emailVerified: true,
  name: 'Ada Lovelace',
};

interface Console extends AsyncDisposable {
  readonly client: CatalogConsoleClient;
}

function consoleOf(...catalogs: readonly CatalogUnderTest[]): Console {
  const addresses = catalogs.map(({ service }) => service.adminAddress ?? '');
  const client = connectCatalogConsole({ addresses, key, logger });
  return { client, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

it('a person signs in at one replica, and is known, refused and let in by all of them', async () => {
  const namespace = `${nats.namespace}-a`;
  await using first = await startCatalog({ natsUrl: nats.url, namespace, environment });
  await using second = await startCatalog({ natsUrl: nats.url, namespace, environment });
  await create(first.admin, 'plans', plan);
  await using both = consoleOf(first, second);
  const { account, generation } = await both.client.call('SignIn', person);
  const session = { account, generation };
  const signedIn = await both.client.call('WhoAmI', {}, session);
  const [organization] = signedIn.organizations;
  const listed = { organization: organization?.id ?? '' };
  for (let replica = 1; replica <= 2; replica += 1) {
    await expect(both.client.call('ListApiKeys', listed, session)).rejects.toMatchObject({
      code: 'permission_denied',
      reason: 'platform_access_required',
    });
  }
  const { document } = await first.admin.getResource({ kind: 'accounts', id: account });
  await first.admin.updateResource({
    kind: 'accounts',
    id: account,
    document: JSON.stringify({ id: account, access: 'granted' }),
  });
  expect(JSON.parse(document)).toMatchObject({ email: 'ada@example.com', access: 'waiting' });
  const { projects } = await both.client.call('ListProjects', listed, session);
  const project = projects[0]?.id ?? '';
  const made = await both.client.call('CreateApiKey', { ...listed, project, name: 'k' }, session);
  expect(made.key).toMatch(/^sk-/);
  await both.client.call('SignOut', {}, session);
  for (let replica = 1; replica <= 2; replica += 1) {
    await expect(both.client.call('WhoAmI', {}, session)).rejects.toMatchObject({
      code: 'unauthenticated',
      reason: 'session_ended',
    });
  }
});

it('an operator makes a sign-in link, which works once at any replica', async () => {
  const namespace = `${nats.namespace}-b`;
  await using catalog = await startCatalog({ natsUrl: nats.url, namespace, environment });
  await create(catalog.admin, 'accounts', { id: 'demo', operator: true });
  const { token } = await catalog.admin.createSignInLink({ account: 'demo' });
  await using one = consoleOf(catalog);
  expect(await one.client.call('RedeemSignInLink', { token })).toEqual({
    account: 'demo',
    generation: 1,
  });
  await expect(one.client.call('RedeemSignInLink', { token })).rejects.toMatchObject({
    reason: 'invalid_sign_in_link',
  });
  const { records } = await catalog.admin.listAudit({ kind: 'sign_in_links' });
  expect(records.map(({ who, action }) => `${action} by ${who}`)).toEqual([
    'delete by account:demo',
    'create by operator',
  ]);
  expect(JSON.stringify(records)).not.toContain('sha256');
  await expect(catalog.admin.createSignInLink({ account: 'nobody' })).rejects.toMatchObject({
    code: 'failed_precondition',
  });
});

it('an erased account is in no record of the store, and the others are unharmed', async () => {
  const namespace = `${nats.namespace}-c`;
  await using catalog = await startCatalog({ natsUrl: nats.url, namespace, environment });
  await create(catalog.admin, 'plans', plan);
  await create(catalog.admin, 'accounts', { id: 'root', access: 'granted', operator: true });
  await using one = consoleOf(catalog);
  const { account, generation } = await one.client.call('SignIn', person);
  await one.client.call('SignIn', { ...person, name: 'Ada King' });
  const session = { account, generation };
  const onboarding = { acceptTerms: true, organizationName: 'Ada and engines' };
  await one.client.call('CompleteOnboarding', onboarding, session);
  const operator = { account: 'root', generation: 1 };
  const before = await catalog.admin.listAudit({});
  expect(JSON.stringify(before)).toContain('subject-of-ada');
  const { deleted } = await one.client.call('EraseAccount', { account }, operator);
  expect(deleted).toHaveLength(3);
  const { records } = await catalog.admin.listAudit({});
  for (const data of ['Ada', 'ada@example.com', 'subject-of-ada']) {
    expect(JSON.stringify(records)).not.toContain(data);
  }
  expect(records[0]).toMatchObject({ who: 'account:root', action: 'delete', id: account });
  expect(records.filter(({ id }) => id === 'root' || id === plan.id)).toHaveLength(2);
  // A replica that reads the store from the start finds no gap.
  await using fresh = await startCatalog({ natsUrl: nats.url, namespace, environment });
  await using other = consoleOf(fresh);
  await expect(other.client.call('WhoAmI', {}, session)).rejects.toMatchObject({
    reason: 'session_ended',
  });
  expect((await other.client.call('SignIn', person)).account).toBe(account);
});
