import { createLogger } from '@sluice/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, fill, model, plan } from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { ChangeWriter } from '../changes/change-writer.ts';
import { PlaygroundIssuer } from '../changes/playground-issuer.ts';
import { ReadinessGate } from '../lookups/readiness-gate.ts';
import { adminHandlers } from './admin-handlers.ts';

const NOW_MS = 4_000;
const by = { admin: 'ada' };

let store: MemoryResourceStore;

beforeEach(() => {
  store = new MemoryResourceStore();
  fill(store);
});

function handlersOf({ state }: MemoryResourceStore) {
  const wallClock = () => NOW_MS;
  const writer = new ChangeWriter({
    state,
    store,
    wallClock,
    onChanged: () => undefined,
    timeoutMs: 250,
  });
  return adminHandlers({
    gate: new ReadinessGate({
      state,
      store,
      live: () => true,
      clock: wallClock,
      lagWaitMs: 1,
      staleAnswersMs: 1,
    }),
    writer,
    issuer: new PlaygroundIssuer({ catalog: state, writer, wallClock }),
    store,
    catalog: state,
    wallClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
}

describe('a change that this replica does not receive in time', () => {
  beforeEach(() => {
    store.state.apply = () => undefined;
  });

  it('is answered with the created resource', async () => {
    const document = JSON.stringify({ ...model, id: 'new' });
    const made = await handlersOf(store).createResource(
      { kind: 'models', id: 'new', document, sequence: 0 },
      by,
    );
    expect(made).toMatchObject({ kind: 'models', id: 'new', sequence: 7 });
  });

  it('is answered with the updated resource', async () => {
    const document = JSON.stringify({ ...plan, models: ['other'] });
    const changed = await handlersOf(store).updateResource(
      { kind: 'plans', id: plan.id, document, sequence: 0 },
      by,
    );
    expect(changed.sequence).toBe(7);
    expect(JSON.parse(changed.document ?? '')).toMatchObject({ models: ['other'] });
  });

  it('is answered with the revoked key', async () => {
    const revoked = await handlersOf(store).revokeApiKey({ id: apiKey.id }, by);
    expect(revoked.sequence).toBe(7);
    expect(JSON.parse(revoked.document ?? '')).toMatchObject({ revoked_at_ms: NOW_MS });
  });
});

describe('a change that changes nothing', () => {
  it('is answered with the stored resource and its sequence', async () => {
    const same = await handlersOf(store).updateResource(
      { kind: 'plans', id: plan.id, document: JSON.stringify(plan), sequence: 0 },
      by,
    );
    expect(same.sequence).toBe(1);
  });
});
