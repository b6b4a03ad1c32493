import { hash } from 'node:crypto';
import { apiKeyDigest, type CatalogModel } from '@sluice/contracts';
import type { CatalogReader } from '../src/access/catalog-directory.ts';
import { testPrincipal } from '../src/access/principal-fixture.ts';
import type { Principal } from '../src/access/principal.ts';

export const MODEL: CatalogModel = {
  id: 'acme/large',
  object: 'model',
  created: 1_700_000_000,
  owned_by: 'acme',
  shutdown_date: null,
  context_length: 4_096,
  max_output_tokens: 1_024,
  pool: 'default',
  runtime_model: 'large',
  reasoning_history: 'optional',
  input_token_ratio: 0.25,
};

export interface FakeCatalogOptions {
  readonly models?: readonly CatalogModel[];
  readonly principal?: Partial<Principal>;
}

const REVISION = { epoch: 1, sequence: 1 };

/** A catalog with one key and one organization. */
export class FakeCatalog implements CatalogReader {
  readonly asked: string[] = [];
  /** The ids of the requests for which it was called. */
  readonly requestIds: string[] = [];
  unavailable = false;
  principal: Principal | undefined;
  models: readonly CatalogModel[];
  readonly #digest: string;

  constructor(key: string, { models = [MODEL], principal }: FakeCatalogOptions) {
    this.#digest = apiKeyDigest(key).toString('hex');
    this.models = models;
    this.principal = testPrincipal({
      credentialId: 'key1',
      retention: 'standard',
      limits: {
        requests_per_minute: 60,
        requests_per_day: 1_000,
        tokens_per_minute: 10_000,
        tokens_per_day: null,
      },
      ...principal,
    });
  }

  resolveCredential: CatalogReader['resolveCredential'] = (credential, _atLeast, callContext) => {
    this.asked.push('credential');
    this.requestIds.push(callContext.requestId);
    if (this.unavailable) return Promise.reject(new Error('the catalog is down'));
    const known =
      credential.kind === 'api_key' && credential.digest.toString('hex') === this.#digest;
    return Promise.resolve({ answer: known ? this.principal : undefined, revision: REVISION });
  };

  listModels: CatalogReader['listModels'] = (_question, callContext) => {
    this.asked.push('models');
    this.requestIds.push(callContext.requestId);
    if (this.unavailable) return Promise.reject(new Error('the catalog is down'));
    const { models } = this;
    const answer = { tag: hash('sha256', JSON.stringify(models)), read: () => models };
    return Promise.resolve({ answer, revision: REVISION });
  };
}
