import { ResourceSchemas } from '@sluice/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import { playgroundCredentials } from './playground-credential.ts';

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const project = (id: string) => ResourceSchemas.projects.parse({ id, organization: 'harbour' });
const harbour = ResourceSchemas.organizations.parse({
  id: 'harbour',
  plan: 'free',
  members: [
    { account: 'left', active: false },
    { account: 'waits' },
    { account: 'barred' },
    { account: 'ada' },
    { account: 'ben' },
  ],
});
const accounts = [
  { id: 'left', access: 'granted' },
  { id: 'waits', access: 'waiting' },
  { id: 'barred', access: 'granted', restricted: true },
  { id: 'ada', access: 'granted' },
  { id: 'ben', access: 'granted' },
].map((account) => ResourceSchemas.accounts.parse(account));

/** Credentials from a catalog with these projects. Each token contains its project and account. */
function credentialsOf(
  projects: readonly string[],
  wish: { project?: string; account?: string } = {},
  catalogAheadMs = 0,
) {
  let issued = 0;
  const admin = catalogHolding(
    { projects: projects.map(project), organizations: [harbour], accounts },
    {
      issuePlaygroundToken: ({ project: chosen = '', account = '' }) => {
        issued += 1;
        const token = `${issued} ${chosen} ${account}`;
        const expiresAtMs = Date.now() + catalogAheadMs + 10 * MINUTE_MS;
        return Promise.resolve({ token, expiresAtMs });
      },
    },
  );
  return playgroundCredentials({ ...wish, withAdmin: (use) => use(admin) });
}

test.each([
  ['as here', 0],
  ['an hour later', 60 * MINUTE_MS],
  ['an hour earlier', -60 * MINUTE_MS],
])(
  'a credential is replaced a minute before its end, where the catalog has it %s',
  async (_, ahead) => {
    const credential = credentialsOf(['app'], {}, ahead);
    expect(await credential()).toMatch(/^1 /);
    vi.advanceTimersByTime(9 * MINUTE_MS);
    expect(await credential()).toMatch(/^1 /);
    vi.advanceTimersByTime(1);
    expect(await credential()).toMatch(/^2 /);
  },
);

test('a credential is for the only project, and the first active member with access', async () => {
  expect(await credentialsOf(['app'])()).toBe('1 app ada');
});

test('a credential is for the project and the account that were named', async () => {
  const wish = { project: 'site', account: 'ben' };
  expect(await credentialsOf(['app', 'site'], wish)()).toBe('1 site ben');
});

test.each([
  [[], 'the catalog has no project'],
  [['app', 'site', 'zoo'], 'choose a project with --project: app, site, zoo'],
])('with the projects %j, no project is chosen', async (projects, message) => {
  await expect(credentialsOf(projects)()).rejects.toThrow(message);
});
