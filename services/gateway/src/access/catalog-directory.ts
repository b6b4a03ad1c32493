import {
  ServiceError,
  type CatalogChanged,
  type CatalogModel,
  type Revision,
} from '@sluice/contracts';
import type { TraceSpan } from '@sluice/service';
import { AnswerCache, type CatalogAnswer } from './answer-cache.ts';
import { CatalogChanges } from './catalog-changes.ts';
import { invalidCredential, type Credential } from './credential.ts';
import { MODELS_UNAVAILABLE } from './model-faults.ts';
import { ModelList } from './model-list.ts';
import type { Principal } from './principal.ts';
import { SharedModelLists, type CatalogModels } from './shared-model-lists.ts';

/** Identifies the request that a call to the catalog is made for. */
interface CallContext {
  readonly requestId: string;
  readonly trace: TraceSpan | undefined;
}

/** The calls that the gateway makes to the catalog. Both reject if the catalog cannot be reached. */
export interface CatalogReader {
  resolveCredential(
    credential: Credential,
    atLeast: Revision,
    callContext: CallContext,
  ): Promise<CatalogAnswer<Principal>>;
  listModels(
    question: ModelsQuestion,
    callContext: CallContext,
  ): Promise<CatalogAnswer<CatalogModels>>;
}

export interface ModelsQuestion {
  readonly organization: string;
  readonly atLeast: Revision;
  /** Tags of lists that the catalog need not send again. */
  readonly knownTags: readonly string[];
}

export interface CatalogDirectoryOptions {
  readonly reader: CatalogReader;
  readonly freshMs: number;
  readonly staleMs: number;
  readonly maximumEntries: number;
  /** Monotonic, for the age of answers. */
  readonly clock: () => number;
  /** The wall clock, for expiry dates. */
  readonly wallClock: () => number;
  /** Called with each list of models that was not known yet. */
  readonly onModels?: (models: readonly CatalogModel[]) => void;
}

const NO_MODELS = new ModelList([]);
/** Limit for the look-ups of one cache that are pending at once. */
const MAXIMUM_PENDING = 512;
/**
 * Lower than `MAXIMUM_PENDING`, because only the catalog can check the signature of a playground token. An API key with
 * a wrong checksum is refused without a look-up.
 */
const MAXIMUM_PENDING_PLAYGROUND = 64;

/** Caches credentials and model lists of the catalog. */
export class CatalogDirectory {
  readonly #reader: CatalogReader;
  readonly #wallClock: () => number;
  readonly #clock: () => number;
  readonly #changes = new CatalogChanges();
  /** One cache for each kind of credential, so that a flood of one kind does not delay the other. */
  readonly #principals: Readonly<Record<Credential['kind'], AnswerCache<Principal>>>;
  readonly #modelLists: AnswerCache<ModelList>;
  readonly #shared: SharedModelLists;

  constructor({ reader, wallClock, clock, onModels, ...bounds }: CatalogDirectoryOptions) {
    this.#reader = reader;
    this.#shared = new SharedModelLists(onModels);
    this.#wallClock = wallClock;
    this.#clock = clock;
    const options = { ...bounds, clock, changes: this.#changes, maximumPending: MAXIMUM_PENDING };
    const ofPrincipals = {
      ...options,
      organizationOf: (_key: string, { organization }: Principal) => organization,
      dependsOnModels: false,
    };
    this.#principals = {
      api_key: new AnswerCache(ofPrincipals),
      playground: new AnswerCache({ ...ofPrincipals, maximumPending: MAXIMUM_PENDING_PLAYGROUND }),
    };
    this.#modelLists = new AnswerCache({
      ...options,
      organizationOf: (organization) => organization,
      dependsOnModels: true,
    });
  }

  /** Throws `invalid_api_key` or `authentication_unavailable`. */
  async authenticate(credential: Credential, callContext: CallContext): Promise<Principal> {
    let principal: Principal | undefined;
    try {
      principal = await this.#principals[credential.kind].get(credential.fingerprint, (atLeast) =>
        this.#reader.resolveCredential(credential, atLeast, callContext),
      );
    } catch (cause) {
      throw new ServiceError(
        'authentication_unavailable',
        'The credential cannot be checked at the moment. Please retry.',
        { cause, retryable: true },
      );
    }
    if (principal === undefined || this.#isExpired(principal)) throw invalidCredential();
    return principal;
  }

  /** Throws `model_availability_unavailable`. */
  async models(organization: string, callContext: CallContext): Promise<ModelList> {
    try {
      const models = await this.#modelLists.get(organization, async (atLeast, last) => {
        const known = this.#shared.known(last);
        const question = { organization, atLeast, knownTags: [...known.keys()] };
        const { answer, revision } = await this.#reader.listModels(question, callContext);
        return { answer: answer && this.#shared.modelsOf(answer, known), revision };
      });
      return models ?? NO_MODELS;
    } catch (cause) {
      const { code, message } = MODELS_UNAVAILABLE;
      throw new ServiceError(code, message, { cause, retryable: true });
    }
  }

  /**
   * Invalidates the answers that a change of the catalog concerns. For a change from an older store than the newest one
   * known, it invalidates all answers and returns false.
   */
  noteChange(change: CatalogChanged): boolean {
    const inOrder = this.#changes.noteChange(change);
    if (!inOrder) this.invalidateAll();
    return inOrder;
  }

  /** Call this when notices of changes may have been lost. */
  invalidateAll(): void {
    this.#changes.invalidateAll(this.#clock());
  }

  #isExpired({ expiresAtMs }: Principal): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.#wallClock();
  }
}
