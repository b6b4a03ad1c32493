import { ResourceSchemas, type Plan } from '@sluice/contracts';
import { RpcError } from '@sluice/rpc';
import { expect, test } from 'vitest';
import { readLimits } from './read-limits.ts';

const LIMITS: Plan['limits'] = {
  requests_per_minute: 60,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};

/** A catalog with one organization and its plan. `afterAnswer` can change it after each answer. */
class ChangingCatalog {
  readonly #documents = new Map<string, { document: object; sequence: number }>();
  readonly #afterAnswer: (catalog: ChangingCatalog, kind: string) => void;
  epoch = 3;

  constructor(afterAnswer: (catalog: ChangingCatalog, kind: string) => void) {
    this.#afterAnswer = afterAnswer;
    this.put('plans', { id: 'small', limits: LIMITS }, 5);
    this.put('organizations', { id: 'acme', plan: 'small', members: [] }, 7);
  }

  put(kind: 'plans' | 'organizations', document: object, sequence: number): void {
    this.#documents.set(kind, { document: ResourceSchemas[kind].parse(document), sequence });
  }

  readonly getResource = async ({ kind = '', id = '' }: { kind?: string; id?: string }) => {
    const found = this.#documents.get(kind);
    if (found === undefined || id === 'nobody') throw new RpcError('not_found', 'none');
    const { document, sequence } = found;
    this.#afterAnswer(this, kind);
    return { kind, id, document: JSON.stringify(document), sequence, deleted: false };
  };

  readonly listResources = async () => ({
    resources: [],
    nextAfter: '',
    position: { epoch: this.epoch, sequence: 9 },
  });
}

test('the limits are those of an organization and its plan at one moment, and their epoch is not newer than they are', async () => {
  let changes = 0;
  const catalog = new ChangingCatalog((own, kind) => {
    changes += 1;
    // Both are changed after the organization was read and before its plan is read.
    if (kind !== 'organizations' || changes > 1) return;
    // The store is created again.
    own.epoch = 4;
    const limits = { requests_per_minute: 1 };
    own.put('organizations', { id: 'acme', plan: 'small', members: [], limits }, 8);
    own.put('plans', { id: 'small', limits: { ...LIMITS, requests_per_day: 2 } }, 9);
  });
  expect(await readLimits(catalog, 'acme')).toEqual({
    organization: 'acme',
    limits: { ...LIMITS, requests_per_minute: 1, requests_per_day: 2 },
    revision: { epoch: 3, sequence: 9 },
    requests: 0,
    tokens: 0,
  });
});

test('an organization that changes all the time, or does not exist, is an error', async () => {
  let sequence = 10;
  const restless = new ChangingCatalog((own, kind) => {
    sequence += 1;
    if (kind === 'organizations') {
      own.put('organizations', { id: 'acme', plan: 'small', members: [] }, sequence);
    }
  });
  await expect(readLimits(restless, 'acme')).rejects.toThrow('changes all the time; try again');
  await expect(readLimits(restless, 'nobody')).rejects.toThrow('there is no organization nobody');
});
