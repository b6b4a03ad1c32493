import { ResourceSchemas, type ResourceKind } from '@sluice/contracts';
import { useCertificates } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes, type Route, type RouteName } from '../src/api/routes.ts';
import type { RunningConsole } from '../src/start.ts';
import { AccountSession } from './support/account-session.ts';
import { ROUTE_ACCESS, type AccessCase, type Need } from './support/route-access.ts';
import { startDeployment, type Deployment } from './support/start-deployment.ts';

const certificates = useCertificates();
const { authority, otherAuthority, server, client } = certificates;

let deployment: Deployment;
let first: RunningConsole;
let second: RunningConsole;
const keys = new Map<string, string>();

const MEMBERS = ['viewer', 'member', 'admin', 'owner'] as const;
const ACTORS = [
  ...MEMBERS,
  'inactive',
  'stranger',
  'operator',
  'waiting',
  'restricted',
  'ended',
  'no session',
] as const;
type Actor = (typeof ACTORS)[number];
const ORGANIZATIONS = ['own', 'foreign', 'deleted'] as const;
type Organization = (typeof ORGANIZATIONS)[number];
const WEBHOOK = 'https://hooks.example/budget';

beforeAll(async () => {
  deployment = await startDeployment({ authority, server, client });
  await fillCatalog();
  first = await deployment.startConsole();
  second = await deployment.startConsole();
});
afterAll(async () => {
  await deployment[Symbol.asyncDispose]();
});

async function create(kind: ResourceKind, id: string, fields: object = {}): Promise<void> {
  const document = JSON.stringify(ResourceSchemas[kind].parse({ id, ...fields }));
  await deployment.admin.createResource({ kind, id, document });
}

/** An account for each actor, and the organizations that they ask about. */
async function fillCatalog(): Promise<void> {
  const { admin } = deployment;
  await admin.ready();
  await create('plans', 'team', { limits: {} });
  const granted = { access: 'granted', onboarding: 'complete' };
  const others = ['second-owner', 'other', 'another', 'target', 'traveller'];
  for (const id of [...ACTORS.filter((actor) => actor !== 'no session'), ...others]) {
    await create('accounts', id, {
      ...(id === 'waiting' ? { onboarding: 'complete' } : granted),
      ...(id === 'operator' && { operator: true }),
      ...(id === 'restricted' && { restricted: true }),
    });
  }
  const members = [
    ...MEMBERS.map((role) => ({ account: role, role })),
    { account: 'second-owner', role: 'owner' },
    { account: 'other' },
    { account: 'another' },
    { account: 'inactive', role: 'owner', active: false },
    ...['waiting', 'restricted', 'ended'].map((account) => ({ account, role: 'owner' })),
  ];
  const webhooks = [{ url: WEBHOOK }];
  const stranger = [{ account: 'stranger', role: 'owner' }, { account: 'other' }];
  await create('organizations', 'own', { plan: 'team', members, webhooks });
  await create('organizations', 'foreign', { plan: 'team', members: stranger, webhooks });
  await create('organizations', 'deleted', { plan: 'team' });
  await admin.deleteResource({ kind: 'organizations', id: 'deleted' });
  for (const organization of ['own', 'foreign']) {
    await create('projects', `${organization}-project`, { organization });
    await create('projects', `${organization}-empty`, { organization });
    const { id } = await admin.createApiKey({
      project: `${organization}-project`,
      name: 'key',
      creator: 'other',
    });
    keys.set(organization, id);
  }
}

const openSession = (account: string, console = first) =>
  AccountSession.open(account, { cookieKey: deployment.cookieKey, consoleUrl: console.url });

describe('replicas of the console', () => {
  it('share no memory: a session of one is known by the other, and ends at both', async () => {
    const { token } = await deployment.admin.createSignInLink({ account: 'traveller' });
    const entered = await fetch(`${first.url}/sign-in/link?token=${token}`, { redirect: 'manual' });
    const lines = entered.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '');
    const cookie = lines.find((line) => line.startsWith('sluice-session=')) ?? '';
    const state = async ({ url }: RunningConsole) => {
      const response = await fetch(`${url}/api/session`, { headers: { cookie } });
      return ((await response.json()) as { readonly state: string }).state;
    };
    expect([await state(first), await state(second)]).toEqual(['signed_in', 'signed_in']);
    // The token of one replica is good for a change at the other.
    const session = await openSession('traveller', second);
    expect((await session.send(`${first.url}/api/sign-out`, 'POST')).status).toBe(200);
    expect([await state(first), await state(second)]).toEqual(['signed_out', 'signed_out']);
  });
});

describe('a console behind TLS', () => {
  it('reaches the catalog and NATS with its certificate', async () => {
    const session = await openSession('operator');
    await expect
      .poll(async () => (await session.send(`${first.url}/api/fleet`)).json())
      .toMatchObject({ connected: true });
  });

  it('tells the catalog nothing if it does not trust its certificate', async () => {
    const suspicious = await deployment.startConsole({ GRPC_CA_FILE: otherAuthority });
    const session = await openSession('operator');
    const response = await session.send(`${suspicious.url}/api/fleet`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'catalog_unavailable' } });
  });
});

/** Undefined: the request is let in, even if it then fails. */
function expectedRefusal(
  needs: Need,
  actor: Actor,
  organization: Organization | undefined,
): string | undefined {
  if (needs === 'open') return undefined;
  if (actor === 'no session' || actor === 'ended') return 'signed_out';
  const isOwn = needs === 'own state' || needs === 'own change';
  if (actor === 'waiting') return isOwn ? undefined : 'platform_access_required';
  if (actor === 'restricted') return needs === 'own state' ? undefined : 'account_restricted';
  if (isOwn) return undefined;
  if (needs === 'operator') return actor === 'operator' ? undefined : 'permission_denied';
  if (organization === 'foreign' && actor === 'stranger') return undefined;
  const rank = organization === 'own' ? MEMBERS.findIndex((role) => role === actor) : -1;
  if (rank === -1) return 'organization_membership_required';
  return rank >= MEMBERS.findIndex((role) => role === needs) ? undefined : 'permission_denied';
}

const CASES = Object.entries(ROUTE_ACCESS).flatMap(([name, cases]) =>
  cases.map((access) => ({ name: name as RouteName, needs: access.needs, access })),
);

describe('every route of the API', () => {
  const sessions = new Map<Actor, AccountSession>();

  beforeAll(async () => {
    for (const actor of ACTORS) {
      if (actor !== 'no session') sessions.set(actor, await openSession(actor));
    }
    await sessions.get('ended')?.send(`${second.url}/api/sign-out`, 'POST');
  });

  async function refusalOf(
    name: RouteName,
    { params = {}, query = '', body }: AccessCase,
    { actor, organization = 'own' }: { actor: Actor; organization: Organization | undefined },
  ): Promise<string | undefined> {
    const { method, path }: Route = routes[name];
    const fill = (text: string) =>
      text
        .replaceAll('ORGANIZATION', organization)
        .replaceAll('ACTOR', actor)
        .replaceAll('WEBHOOK', Buffer.from(WEBHOOK).toString('base64url'))
        .replaceAll('KEY', keys.get(organization) ?? 'none');
    const values: Readonly<Record<string, string>> = { organization, ...params };
    const address = path.replaceAll(/:(\w+)/g, (_, param: string) => fill(values[param] ?? ''));
    const url = `${first.url}${address}${query}`;
    const sent = body && (JSON.parse(fill(JSON.stringify(body))) as object);
    const session = sessions.get(actor);
    const response = await (session?.send(url, method, sent) ?? fetch(url, { method }));
    const reply: unknown = await response.json().catch(() => undefined);
    if (name === 'signOut' && response.ok) await session?.renew(first.url);
    if (response.status !== 401 && response.status !== 403) return undefined;
    return (reply as { readonly error: { readonly code: string } }).error.code;
  }

  it.each(CASES)('$name: lets in those with the right $needs, and no other', async (one) => {
    const isInOrganization = routes[one.name].path.startsWith('/api/organizations/:');
    const cells = ACTORS.flatMap((actor) =>
      (isInOrganization ? ORGANIZATIONS : [undefined]).map((organization) => ({
        actor,
        organization,
        expected: expectedRefusal(one.needs, actor, organization),
      })),
    );
    const found: Record<string, string | undefined> = {};
    const ask = async (cell: (typeof cells)[number]) => {
      const refusal = await refusalOf(one.name, one.access, cell);
      found[`${cell.actor} ${cell.organization ?? ''}`] = refusal;
    };
    // An accepted request may change what the refused requests are about, so it is sent after them.
    await Promise.all(cells.filter(({ expected }) => expected !== undefined).map(ask));
    for (const cell of cells.filter(({ expected }) => expected === undefined)) await ask(cell);
    expect(found).toEqual(
      Object.fromEntries(
        cells.map(({ actor, organization, expected }) => [
          `${actor} ${organization ?? ''}`,
          expected,
        ]),
      ),
    );
  });

  it('is asked for in the table', () => {
    expect(Object.keys(ROUTE_ACCESS).toSorted()).toEqual(Object.keys(routes).toSorted());
  });
});
