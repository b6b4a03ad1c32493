import type { CatalogConsoleHandlers, ConsoleCaller } from '@sluice/rpc';
import { ChangeWriter } from '../src/changes/change-writer.ts';
import { PlaygroundIssuer } from '../src/changes/playground-issuer.ts';
import { consoleHandlers } from '../src/console/console-handlers.ts';
import { ModelLists } from '../src/lookups/model-lists.ts';
import { ReadinessGate } from '../src/lookups/readiness-gate.ts';
import { apiKey, model, plan } from './example-documents.ts';
import { MemoryResourceStore } from './memory-resource-store.ts';

export const NOW_MS = 1_800_000_000_000;

export interface ConsoleUnderTest {
  readonly store: MemoryResourceStore;
  readonly handlers: CatalogConsoleHandlers;
  /** The wall clock of the calls. Tests can set it. */
  nowMs: number;
}

/** The calls of consoles, on a store in memory that has the plan `team`. */
export function consoleUnderTest(personalPlan: string | undefined = plan.id): ConsoleUnderTest {
  const store = new MemoryResourceStore();
  store.put('plans', plan);
  store.put('models', model);
  const { state } = store;
  const test = { store, nowMs: NOW_MS };
  const wallClock = () => test.nowMs;
  const gate = new ReadinessGate({
    state,
    store,
    live: () => true,
    clock: () => performance.now(),
    lagWaitMs: 1_000,
    staleAnswersMs: 1_000,
  });
  const onChanged = () => undefined;
  const writer = new ChangeWriter({ state, store, wallClock, onChanged, timeoutMs: 1_000 });
  const issuer = new PlaygroundIssuer({ catalog: state, writer, wallClock });
  const modelLists = new ModelLists(state);
  const parts = { gate, writer, issuer, modelLists, store, catalog: state };
  return Object.assign(test, {
    handlers: consoleHandlers({ ...parts, plan: personalPlan, wallClock }),
  });
}

/** A session of an account. Accounts begin with generation 1. */
export function sessionOf(account: string, generation = 1): ConsoleCaller {
  return { account, generation };
}

const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
const granted = { access: 'granted', onboarding: 'complete' };

/**
 * Creates the organizations `own`, `foreign` and `deleted`, each with projects, a key and an invitation. `deleted` has
 * been deleted. In `own`, the accounts `owner`, `admin`, `member` and `viewer` have the role of their name, and further
 * accounts are named after their state.
 */
export function fillOrganizations(store: MemoryResourceStore): void {
  for (const id of [...ROLES, 'second-owner', 'other', 'inactive', 'ended']) {
    store.put('accounts', { id, ...granted, ...(id === 'ended' && { session_generation: 2 }) });
  }
  store.put('accounts', { id: 'waiting', onboarding: 'complete' });
  store.put('accounts', { id: 'restricted', ...granted, restricted: true });
  store.put('accounts', { id: 'operator', ...granted, operator: true });
  store.put('accounts', { id: 'stranger', ...granted });
  store.put('organizations', {
    id: 'own',
    plan: plan.id,
    members: [
      ...ROLES.map((role) => ({ account: role, role })),
      { account: 'second-owner', role: 'owner' },
      { account: 'other' },
      { account: 'inactive', role: 'owner', active: false },
      ...['ended', 'waiting', 'restricted'].map((account) => ({ account, role: 'owner' })),
    ],
  });
  store.put('organizations', {
    id: 'foreign',
    plan: plan.id,
    members: [{ account: 'stranger', role: 'owner' }],
  });
  store.append('organizations/deleted', undefined);
  for (const [index, organization] of ['own', 'foreign', 'deleted'].entries()) {
    const project = `${organization}-project`;
    store.put('projects', { id: project, organization });
    store.put('projects', { id: `${organization}-empty`, organization });
    store.put('api_keys', {
      ...apiKey,
      id: `${organization}-key`,
      project,
      creator: 'other',
      sha256: String(index).repeat(64),
    });
    store.put('invitations', {
      id: `${organization}-invitation`,
      organization,
      role: 'member',
      email: null,
      sha256: String(index).repeat(64),
      invited_by: 'owner',
      accepted_by: null,
      created_at_ms: 0,
      expires_at_ms: NOW_MS + 1,
    });
  }
}
