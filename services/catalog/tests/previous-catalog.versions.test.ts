import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { apiKeyDigest } from '@sluice/contracts';
import { cannotRun, useLeakCheck, useNats } from '@sluice/devkit';
import { copyVersion, previousRelease, releaseMissing } from '@sluice/devkit/versions';
import {
  assertionKeySetting,
  connectCatalog,
  connectCatalogConsole,
  publicAssertionKey,
} from '@sluice/rpc';
import { describe, expect, test } from 'vitest';
import { CatalogProgram } from './catalog-program.ts';
import { logger } from './catalog-under-test.ts';
import { plan } from './example-documents.ts';
import { create } from './example-resources.ts';

const release = previousRelease();
const missing = cannotRun(`a catalog of version ${release.version}`, releaseMissing(release));

const person = {
  issuer: 'https://id.example',
  subject: 'ada',
  email: 'ada@example.com',
  emailVerified: true,
  name: 'Ada',
};

describe.skipIf(missing)(`beside a catalog of version ${release.version}`, () => {
  useLeakCheck({ timeoutMs: 10_000 });
  const nats = useNats({ own: true });

  test('keys of the console work at both, and a sign-in repairs what the old one dropped', async () => {
    await using copy = await copyVersion(release.commit);
    const key = assertionKeySetting().parse(`console:${randomBytes(32).toString('base64url')}`);
    const environment = { NATS_URL: nats.url, CATALOG_BUCKET: 'shared' };
    const forConsoles = { CONSOLE_KEYS: publicAssertionKey(key), CONSOLE_PLAN: plan.id };
    await using today = await CatalogProgram.start({ ...environment, ...forConsoles });
    const oldMain = join(copy.folder, 'services/catalog/src/main.ts');
    await using old = await CatalogProgram.start(environment, oldMain);
    await using pages = connectCatalogConsole({ addresses: [today.adminAddress], key, logger });
    await using gateway = connectCatalog({
      addresses: [old.address],
      deadlineMs: 5_000,
      logger,
    });
    await create(today.admin, 'plans', plan);
    await create(today.admin, 'accounts', { id: 'root', access: 'granted', operator: true });
    const session = await pages.call('SignIn', person);
    const { account } = session;
    const operator = { account: 'root', generation: 1 };
    await pages.call('SetAccountAccess', { account, access: 'granted' }, operator);
    const me = await pages.call('WhoAmI', {}, session);
    const organization = me.organizations[0]?.id ?? '';
    const { projects } = await pages.call('ListProjects', { organization }, session);
    const project = projects[0]?.id ?? '';
    const made = await pages.call('CreateApiKey', { organization, project, name: '' }, session);
    const resolve = async () => {
      const apiKeySha256 = apiKeyDigest(made.key);
      // Reads the end of the store, so that the old catalog has received what was written.
      await old.admin.listResources({ kind: 'api_keys' });
      return (await gateway.resolveCredential({ apiKeySha256 })).principal;
    };
    expect(await resolve()).toMatchObject({ account, organization, accessRefusal: '' });

    const document = JSON.stringify({ id: account, access: 'granted', onboarding: 'complete' });
    await old.admin.updateResource({ kind: 'accounts', id: account, document });
    expect(await pages.call('WhoAmI', {}, session)).toMatchObject({ account, name: '' });
    expect(await pages.call('SignIn', person)).toEqual(session);
    expect(await pages.call('WhoAmI', {}, session)).toMatchObject({ account, name: 'Ada' });

    await pages.call('EraseAccount', { account }, operator);
    expect(await resolve()).toBeNull();
  });
});
