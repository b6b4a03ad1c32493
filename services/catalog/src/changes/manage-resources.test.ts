import type { ResourceKind } from '@sluice/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  account,
  apiKey,
  fill,
  model,
  organization,
  plan,
  project,
} from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import {
  planCreate,
  planDelete,
  planUpdate,
  parseDocument,
  type ManagedKind,
} from './manage-resources.ts';

let store: MemoryResourceStore;
beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
});

const creating = (kind: ManagedKind, document: object) => () =>
  planCreate(kind, parseDocument(kind, JSON.stringify(document)))(store.state);
const updating = (kind: ManagedKind, written: object, expectedSequence?: number) => () => {
  const document = parseDocument(kind, JSON.stringify(written));
  return planUpdate({ kind, id: document.id, expectedSequence }, document)(store.state);
};
const deleting = (kind: ResourceKind, id: string, expectedSequence?: number) => () =>
  planDelete({ kind, id, expectedSequence })(store.state);

describe('a document', () => {
  it.each([
    ['plans', { ...plan, limits: { requests_per_minute: -1 } }, 'limits.requests_per_minute'],
    ['plans', { ...plan, limits: { requests_per_minute: 1.5 } }, 'limits.requests_per_minute'],
    ['plans', { ...plan, credentials: ['cookie'] }, 'credentials[0]'],
    ['plans', { ...plan, models: ['has space'] }, 'models[0]'],
    ['plans', { id: plan.id }, 'limits'],
    ['models', { ...model, shutdown_date: '2026-02-30' }, 'shutdown_date'],
    ['models', { ...model, pool: 'a.b' }, 'pool'],
    [
      'models',
      { ...model, reasoning: { supported_efforts: ['low'], default_effort: 'max' } },
      'reasoning.default_effort',
    ],
    [
      'models',
      { ...model, max_output_tokens: 10, default_parameters: { max_tokens: 11 } },
      'default_parameters.max_tokens',
    ],
    ['accounts', { ...account, access: 'maybe' }, 'access'],
    ['accounts', { ...account, id: '-dash' }, 'id'],
    ['organizations', { ...organization, retention: 'eternal' }, 'retention'],
    ['organizations', { ...organization, surprise: 1 }, 'surprise'],
    [
      'organizations',
      { ...organization, members: [{ account: 'ada' }, { account: 'ada', active: false }] },
      'members[1].account: account ada is listed twice',
    ],
    ['projects', { id: 'x' }, 'organization'],
  ] as const)(
    'of %s is refused with a message that names the invalid field',
    (kind, document, fault) => {
      const parsing = () => parseDocument(kind, JSON.stringify(document));
      expect(parsing).toThrow(fault);
      expect(parsing).toThrow(expect.objectContaining({ code: 'invalid' }));
    },
  );

  it('that is not JSON is refused without being quoted', () => {
    expect(() => parseDocument('plans', '{"secret')).toThrow('the plan is not valid JSON');
  });
});

describe('creating', () => {
  it('refuses an id that is taken', () => {
    expect(creating('plans', plan)).toThrow(
      expect.objectContaining({ code: 'already_exists', message: 'plan team exists already' }),
    );
  });

  it.each([
    ['organizations', { id: 'new', plan: 'gone' }, 'there is no plan gone'],
    [
      'organizations',
      { id: 'new', plan: plan.id, members: [{ account: 'bob' }] },
      'there is no account bob',
    ],
    ['projects', { id: 'new', organization: 'gone' }, 'there is no organization gone'],
  ] as const)('refuses %s that refer to resources that do not exist', (kind, document, message) => {
    expect(creating(kind, document)).toThrow(
      expect.objectContaining({ code: 'forbidden_by_state', message }),
    );
  });

  it('lets a plan name models that do not exist yet', () => {
    expect(creating('plans', { ...plan, id: 'new', models: ['future'] })()).toMatchObject({
      action: 'create',
    });
  });
});

describe('updating', () => {
  it('refuses a resource that does not exist', () => {
    expect(updating('plans', { ...plan, id: 'gone' })).toThrow(
      expect.objectContaining({ code: 'not_found', message: 'there is no plan gone' }),
    );
  });

  it('refuses references to resources that do not exist', () => {
    expect(updating('organizations', { ...organization, plan: 'gone' })).toThrow(
      'there is no plan gone',
    );
  });

  it('refuses to overwrite a resource that has changed since it was read', () => {
    const changed = { ...plan, models: [] };
    expect(updating('plans', changed, 1)()).toMatchObject({ action: 'update' });
    store.put('plans', { ...plan, credentials: [] });
    expect(updating('plans', changed, 1)).toThrow(expect.objectContaining({ code: 'conflict' }));
  });

  it('refuses to move a project to another organization', () => {
    store.put('organizations', { ...organization, id: 'rival' });
    expect(updating('projects', { ...project, organization: 'rival' })).toThrow(
      'project engine belongs to organization analytical and cannot move to another',
    );
  });

  it('removes a member with keys, which are refused from then on', () => {
    expect(updating('organizations', { ...organization, members: [] })()).toMatchObject({
      action: 'update',
    });
  });
});

describe('deleting', () => {
  it.each([
    ['plans', plan.id, 'plan team is still in use: it is the plan of organization analytical'],
    [
      'accounts',
      account.id,
      'account ada@example.com is still in use: it is a member of organization analytical, the creator of API key key_one',
    ],
    [
      'organizations',
      organization.id,
      'organization analytical is still in use: it is the owner of project engine',
    ],
    [
      'projects',
      project.id,
      'project engine is still in use: it is the project of API key key_one',
    ],
  ] as const)('refuses %s still in use, and names the uses', (kind, id, message) => {
    expect(deleting(kind, id)).toThrow(
      expect.objectContaining({ code: 'forbidden_by_state', message }),
    );
  });

  it('names three of many resources that refer to it, and counts the rest', () => {
    for (const id of ['p1', 'p2', 'p3', 'p4']) store.put('projects', { ...project, id });
    expect(deleting('organizations', organization.id)).toThrow(
      'the owner of project engine, the owner of project p1, the owner of project p2 and 2 more',
    );
  });

  it('succeeds for each resource once no other refers to it', () => {
    const order = [
      ['api_keys', apiKey.id],
      ['projects', project.id],
      ['organizations', organization.id],
      ['accounts', account.id],
      ['models', model.id],
      ['plans', plan.id],
    ] as const;
    for (const [kind, id] of order) {
      expect(deleting(kind, id)()).toMatchObject({ action: 'delete', document: null });
      store.append(`${kind}/${id}`, undefined);
    }
    expect(deleting('plans', plan.id)).toThrow('there is no plan team');
  });

  it('refuses a resource that has changed since it was read', () => {
    expect(deleting('models', model.id, 1)).toThrow(expect.objectContaining({ code: 'conflict' }));
  });
});
