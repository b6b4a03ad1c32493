import { apiKeyDigest, type CatalogModel } from '@sluice/contracts';
import type { CatalogReader } from '../src/domain/catalog-directory.ts';
import { principalOf } from '../src/domain/principal-fixture.ts';
import type { Principal } from '../src/domain/principal.ts';

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

const POSITION = { epoch: 1, sequence: 1 };

/** Knows one key and one organization. */
export class FakeCatalog implements CatalogReader {
  readonly asked: string[] = [];
  /** The requests on whose behalf it was asked. */
  readonly askers: string[] = [];
  unavailable = false;
  principal: Principal | undefined;
  models: readonly CatalogModel[];
  readonly #digest: string;

  constructor(key: string, { models = [MODEL], principal }: FakeCatalogOptions) {
    this.#digest = apiKeyDigest(key).toString('hex');
    this.models = models;
    this.principal = principalOf({
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

  resolveCredential: CatalogReader['resolveCredential'] = (credential, _atLeast, asker) => {
    this.asked.push('credential');
    this.askers.push(asker.requestId);
    if (this.unavailable) return Promise.reject(new Error('the catalog is down'));
    const known =
      credential.kind === 'api_key' && credential.digest.toString('hex') === this.#digest;
    return Promise.resolve({ answer: known ? this.principal : undefined, position: POSITION });
  };

  listModels: CatalogReader['listModels'] = (_question, asker) => {
    this.asked.push('models');
    this.askers.push(asker.requestId);
    if (this.unavailable) return Promise.reject(new Error('the catalog is down'));
    const { models } = this;
    const answer = { tag: undefined, read: () => models };
    return Promise.resolve({ answer, position: POSITION });
  };
}
