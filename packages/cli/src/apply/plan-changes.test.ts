import {
  ResourceSchemas,
  type ApiKey,
  type ResourceFile,
  type ResourceKind,
} from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import type { CatalogContent } from '../catalog/resources.ts';
import { planChanges } from './plan-changes.ts';

const NOW = 1_000_000;

const plan = (id: string, requests = 10) =>
  ResourceSchemas.plans.parse({ id, limits: { requests_per_minute: requests } });
const model = (changes: object = {}) =>
  ResourceSchemas.models.parse({
    id: 'large',
    owned_by: 'us',
    pool: 'gpu',
    runtime_model: 'large',
    ...changes,
  });
const account = (id: string) => ResourceSchemas.accounts.parse({ id });
const organization = (id: string, planId: string, members: string[] = []) =>
  ResourceSchemas.organizations.parse({
    id,
    plan: planId,
    members: members.map((member) => ({ account: member })),
  });
const project = (id: string, owner: string) =>
  ResourceSchemas.projects.parse({ id, organization: owner });
const key = (id: string, changes: Partial<ApiKey> = {}): ApiKey => ({
  id,
  project: 'app',
  name: '',
  creator: 'ada',
  sha256: '0'.repeat(64),
  last_four: 'abcd',
  created_at_ms: 0,
  expires_at_ms: null,
  revoked_at_ms: null,
  ...changes,
});

type Held = { [Kind in ResourceKind]?: { id: string }[] };

/** A catalog with the given resources, each with its own sequence. */
function holding(held: Held): CatalogContent {
  let sequence = 0;
  const entries = (kind: ResourceKind) =>
    (held[kind] ?? []).map((document) => {
      sequence += 1;
      return { id: document.id, document, sequence, unknownFields: [] };
    });
  return Object.fromEntries(
    (['plans', 'models', 'accounts', 'organizations', 'projects', 'api_keys'] as const).map(
      (kind) => [kind, entries(kind)],
    ),
  ) as unknown as CatalogContent;
}

function planOf(file: ResourceFile, held: Held, { deletesMany = false } = {}) {
  const { changes, unchanged, problems } = planChanges(file, holding(held), {
    nowMs: NOW,
    isKept: (_kind: string, { id }: { id: string }) => id === 'demo',
    deletesMany,
  });
  const lines = changes.map(({ action, kind, document }) => `${action} ${kind}/${document.id}`);
  return { changes, lines, unchanged, problems };
}

const whole: Held & ResourceFile = {
  plans: [plan('free')],
  accounts: [account('ada')],
  organizations: [organization('harbour', 'free', ['ada'])],
  projects: [project('app', 'harbour')],
};

test('a resource is created after the resources that it refers to', () => {
  const { projects = [], organizations = [], accounts = [], plans = [] } = whole;
  // A file may list the kinds in any order.
  expect(planOf({ projects, organizations, accounts, plans }, {}).lines).toEqual([
    'create plans/free',
    'create accounts/ada',
    'create organizations/harbour',
    'create projects/app',
  ]);
});

test('applying the same file again changes nothing', () => {
  expect(planOf(whole, whole)).toMatchObject({ lines: [], unchanged: 4, problems: [] });
});

test('what people created or changed in the console is neither deleted nor reset', () => {
  const ada = { ...account('ada'), name: 'Ada', session_generation: 3 };
  const grace = { ...account('grace'), managed_by: 'console' as const };
  expect(planOf({ accounts: [account('ada')] }, { accounts: [ada, grace] })).toMatchObject({
    lines: [],
    unchanged: 2,
    problems: [],
  });
});

test('a change names its fields, and the sequence at which it was planned', () => {
  const { changes } = planOf({ plans: [plan('free', 20)] }, whole);
  expect(changes).toEqual([
    {
      action: 'update',
      kind: 'plans',
      document: plan('free', 20),
      sequence: 1,
      fields: [{ field: 'limits', before: plan('free').limits, after: plan('free', 20).limits }],
    },
  ]);
});

test('a field that the entry did not have before is a change too', () => {
  const { changes } = planOf({ models: [model({ context_length: 4_096 })] }, { models: [model()] });
  expect(changes).toMatchObject([
    { action: 'update', fields: [{ field: 'context_length', before: undefined, after: 4_096 }] },
  ]);
});

test('resources that are missing from a list are deleted after all writes, referring ones first', () => {
  const after = {
    plans: [plan('team')],
    accounts: [account('ben')],
    organizations: [organization('orchard', 'team', ['ben'])],
    projects: [],
  };
  expect(planOf(after, whole).lines).toEqual([
    'create plans/team',
    'create accounts/ben',
    'create organizations/orchard',
    'delete projects/app',
    'delete organizations/harbour',
    'delete accounts/ada',
    'delete plans/free',
  ]);
});

test('a kind without a list is not changed', () => {
  expect(planOf({ accounts: [account('ada')] }, whole).lines).toEqual([]);
});

test('entries that a file may not delete are kept', () => {
  const held = { ...whole, plans: [plan('free'), plan('demo')] };
  expect(planOf(whole, held)).toMatchObject({ lines: [], unchanged: 5 });
});

describe('a file that was cut short', () => {
  const accounts = (count: number) =>
    Array.from({ length: count }, (_, index) => account(`person${index}`));

  test('does not delete most of a kind without confirmation', () => {
    const file = { accounts: accounts(9) };
    const held = { accounts: accounts(20) };
    expect(planOf(file, held).problems).toEqual([
      'it would delete 11 of 20 accounts: if the file is complete and this is intended, add --delete-many',
    ]);
    const asked = planOf(file, held, { deletesMany: true });
    expect([asked.problems, asked.lines.length]).toEqual([[], 11]);
  });

  test.each([
    ['half of a kind', 10, 20],
    ['a handful', 1, 10],
    ['all of it when the list is there and empty', 0, 20],
  ])('but %s', (_what, left, before) => {
    const { problems, lines } = planOf(
      { accounts: accounts(left) },
      { accounts: accounts(before) },
    );
    expect([problems, lines.length]).toEqual([[], before - left]);
  });
});

describe('a reference to a resource that would not exist is found before anything is changed', () => {
  test.each<[string, ResourceFile, string]>([
    [
      'a plan in use that would be deleted',
      { plans: [] },
      'organization harbour refers to plan free',
    ],
    ['an unknown plan', { organizations: [organization('harbour', 'gold')] }, 'plan gold'],
    [
      'an unknown member',
      { organizations: [organization('harbour', 'free', ['eve'])] },
      'account eve',
    ],
    [
      'an unknown owner',
      { projects: [project('app', 'harbour'), project('bot', 'hill')] },
      'organization hill',
    ],
    [
      'an owner that would be deleted',
      { organizations: [] },
      'project app refers to organization harbour',
    ],
  ])('%s', (_what, file, problem) => {
    expect(planOf(file, whole).problems).toEqual([expect.stringContaining(problem)]);
  });

  test('but a reference that the file itself removes is no problem', () => {
    const held = { ...whole, organizations: [organization('demo', 'free', ['ada'])], projects: [] };
    const file = { accounts: [], organizations: [organization('demo', 'free')] };
    expect(planOf(file, held)).toMatchObject({
      lines: ['update organizations/demo', 'delete accounts/ada'],
      problems: [],
    });
  });
});

test('a change that would remove fields of a newer version is found before any change is made', () => {
  const content = holding(whole);
  const newer = {
    ...content,
    plans: content.plans.map((entry) => ({ ...entry, unknownFields: ['colour'] })),
  };
  const options = { nowMs: NOW, isKept: () => false, deletesMany: false };
  expect(planChanges({ plans: [plan('free', 20)] }, newer, options).problems).toEqual([
    'plans/free would lose colour: the catalog is newer than this command, which must be upgraded',
  ]);
  // An unchanged resource loses no fields, and deleting one is intended.
  expect(planChanges(whole, newer, options)).toMatchObject({ changes: [], problems: [] });
  expect(planChanges({ plans: [], organizations: [], projects: [] }, newer, options)).toMatchObject(
    {
      problems: [],
    },
  );
});

test('a project that would move to another organization is found before anything is changed', () => {
  const held = {
    ...whole,
    organizations: [organization('harbour', 'free'), organization('hill', 'free')],
  };
  expect(planOf({ projects: [project('app', 'hill')] }, held).problems).toEqual([
    'project app belongs to organization harbour and cannot move to another',
  ]);
});

describe('keys', () => {
  const without = { projects: [] };

  test.each([
    ['for ever', null],
    ['for a while yet', NOW + 1],
  ])('a key that works %s prevents the deletion of its project', (_howLong, expires_at_ms) => {
    const { problems } = planOf(without, { ...whole, api_keys: [key('one', { expires_at_ms })] });
    expect(problems).toEqual([
      "project app cannot be deleted: its API key one still works; 'sluice keys revoke one' first",
    ]);
  });

  test('a key that works prevents the deletion of its creator', () => {
    const elsewhere = { ...whole, organizations: [organization('harbour', 'free')], accounts: [] };
    const { problems } = planOf(elsewhere, { ...whole, api_keys: [key('one')] });
    expect(problems).toEqual([expect.stringContaining('account ada cannot be deleted')]);
  });

  test('revoked and expired keys are deleted before their project', () => {
    const api_keys = [key('revoked', { revoked_at_ms: 1 }), key('expired', { expires_at_ms: NOW })];
    expect(planOf(without, { ...whole, api_keys }).lines).toEqual([
      'delete api_keys/revoked',
      'delete api_keys/expired',
      'delete projects/app',
    ]);
  });

  test('keys whose project has the id of another deleted resource are ignored', () => {
    const held = { ...whole, accounts: [account('ada'), account('app')], api_keys: [key('one')] };
    expect(planOf(whole, held)).toMatchObject({ lines: ['delete accounts/app'], problems: [] });
  });

  test('keys of other projects are ignored', () => {
    const api_keys = [key('one', { project: 'other' })];
    expect(planOf(without, { ...whole, api_keys }).problems).toEqual([]);
  });
});
