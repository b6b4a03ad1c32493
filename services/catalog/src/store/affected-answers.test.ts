import { beforeEach, expect, it } from 'vitest';
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
import type { EntryKind } from '../model/entry-kinds.ts';
import { affectedOrganizations } from './affected-answers.ts';

let store: MemoryResourceStore;
beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
  store.put('plans', { ...plan, id: 'unused' });
  store.put('accounts', { ...account, id: 'loner' });
  store.put('organizations', { ...organization, id: 'other', plan: 'unused', members: [] });
});

const affected = (kind: EntryKind, id: string) => affectedOrganizations(store.state, { kind, id });

it.each<[EntryKind, string]>([
  ['organizations', organization.id],
  ['projects', project.id],
  ['api_keys', apiKey.id],
  ['plans', plan.id],
  ['accounts', account.id],
])('a change of %s affects the organization that it belongs to', (kind, id) => {
  expect(affected(kind, id)).toEqual([organization.id]);
});

it('an unused plan, and an account without a membership, affect no organization', () => {
  store.put('organizations', { ...organization, id: 'other', plan: plan.id, members: [] });
  expect(affected('plans', 'unused')).toEqual([]);
  expect(affected('accounts', 'loner')).toEqual([]);
  expect(affected('plans', plan.id)).toEqual([organization.id, 'other']);
});

it('an inactive member counts as a member', () => {
  const members = [{ account: 'loner', active: false }];
  store.put('organizations', { ...organization, id: 'other', plan: 'unused', members });
  expect(affected('accounts', 'loner')).toEqual(['other']);
});

it('a signing key affects no organization', () => {
  expect(affected('signing_keys', 'any')).toEqual([]);
});

it.each<[EntryKind, string]>([
  ['models', model.id],
  ['projects', 'gone'],
  ['api_keys', 'gone'],
  ['plans', 'gone'],
  ['accounts', 'gone'],
])('a change of a model, or of a deleted entry (%s), may affect all organizations', (kind, id) => {
  expect(affected(kind, id)).toBeUndefined();
});

it('more than the maximum of organizations count as all', () => {
  for (let number = 0; number < 64; number += 1) {
    store.put('organizations', { ...organization, id: `o${number}`, members: [] });
  }
  expect(affected('plans', plan.id)).toBeUndefined();
});
