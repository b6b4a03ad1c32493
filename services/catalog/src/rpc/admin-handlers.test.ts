import { createLogger } from '@sluice/telemetry';
import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, fill, model, plan } from '../../tests/example-documents.ts';
import { MemoryResourceStore } from '../../tests/memory-resource-store.ts';
import { AnswerGate } from '../domain/answer-gate.ts';
import { ChangeWriter } from '../domain/change-writer.ts';
import { PlaygroundIssuer } from '../domain/issue-playground-token.ts';
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
    patienceMs: 250,
  });
  return adminHandlers({
    gate: new AnswerGate({
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

describe('a change that this replica does not hear of in time', () => {
  beforeEach(() => {
    store.state.apply = () => undefined;
  });

  it('that makes something is answered with what was made', async () => {
    const document = JSON.stringify({ ...model, id: 'new' });
    const made = await handlersOf(store).createResource(
      { kind: 'models', id: 'new', document, sequence: 0 },
      by,
    );
    expect(made).toMatchObject({ kind: 'models', id: 'new', sequence: 7 });
  });

  it('that replaces something is answered with the new', async () => {
    const document = JSON.stringify({ ...plan, models: ['other'] });
    const changed = await handlersOf(store).updateResource(
      { kind: 'plans', id: plan.id, document, sequence: 0 },
      by,
    );
    expect(changed.sequence).toBe(7);
    expect(JSON.parse(changed.document ?? '')).toMatchObject({ models: ['other'] });
  });

  it('that revokes a key is answered with a revoked key', async () => {
    const revoked = await handlersOf(store).revokeApiKey({ id: apiKey.id }, by);
    expect(revoked.sequence).toBe(7);
    expect(JSON.parse(revoked.document ?? '')).toMatchObject({ revoked_at_ms: NOW_MS });
  });
});

describe('a change that changes nothing', () => {
  it('is answered with what there is, in its own place', async () => {
    const same = await handlersOf(store).updateResource(
      { kind: 'plans', id: plan.id, document: JSON.stringify(plan), sequence: 0 },
      by,
    );
    expect(same.sequence).toBe(1);
  });
});
