import { ServiceError, type CatalogChanged, type Revision } from '@sluice/contracts';
import type { TraceSpan } from '@sluice/telemetry';
import { AnswerCache, type CatalogAnswer } from './answer-cache.ts';
import { CatalogKnowledge } from './catalog-knowledge.ts';
import { invalidCredential, type Credential } from './credential.ts';
import { MODELS_UNAVAILABLE } from './examine-request.ts';
import type { ModelShelf } from './model-shelf.ts';
import type { Principal } from './principal.ts';
import { SharedShelves, type ToldModels } from './shared-shelves.ts';

/** The request on whose behalf something is asked. */
interface Asker {
  readonly requestId: string;
  readonly trace: TraceSpan | undefined;
}

/** What the gateway asks of the catalog. Both reject when it cannot be asked. */
export interface CatalogReader {
  resolveCredential(
    credential: Credential,
    atLeast: Revision,
    asker: Asker,
  ): Promise<CatalogAnswer<Principal>>;
  listModels(question: ModelsQuestion, asker: Asker): Promise<CatalogAnswer<ToldModels>>;
}

export interface ModelsQuestion {
  readonly organization: string;
  readonly atLeast: Revision;
  /** Of lists that need not be told again. */
  readonly knownTags: readonly string[];
}

export interface CatalogDirectoryOptions {
  readonly reader: CatalogReader;
  readonly freshMs: number;
  readonly staleMs: number;
  readonly maximumEntries: number;
  /** Monotonic, for ages. */
  readonly clock: () => number;
  /** For dates. */
  readonly wallClock: () => number;
}

const NO_MODELS: ToldModels = { tag: undefined, read: () => [] };
const MAXIMUM_PENDING = 512;
/** Anybody can write one that only its signature gives away; a key's checksum is not passed by chance. */
const MAXIMUM_PENDING_PLAYGROUND = 64;

/** Who may call and what they may use, from a cache in front of the catalog. */
export class CatalogDirectory {
  readonly #reader: CatalogReader;
  readonly #wallClock: () => number;
  readonly #clock: () => number;
  readonly #knowledge = new CatalogKnowledge();
  /** By kind, so that a flood of one does not hold up the other. */
  readonly #principals: Readonly<Record<Credential['kind'], AnswerCache<Principal>>>;
  readonly #shelves: AnswerCache<ModelShelf>;
  readonly #shared = new SharedShelves();

  constructor({ reader, wallClock, clock, ...ages }: CatalogDirectoryOptions) {
    this.#reader = reader;
    this.#wallClock = wallClock;
    this.#clock = clock;
    const options = { ...ages, clock, knowledge: this.#knowledge, maximumPending: MAXIMUM_PENDING };
    const ofPrincipals = {
      ...options,
      organizationOf: (_key: string, { organization }: Principal) => organization,
      dependsOnModels: false,
    };
    this.#principals = {
      api_key: new AnswerCache(ofPrincipals),
      playground: new AnswerCache({ ...ofPrincipals, maximumPending: MAXIMUM_PENDING_PLAYGROUND }),
    };
    this.#shelves = new AnswerCache({
      ...options,
      organizationOf: (organization) => organization,
      dependsOnModels: true,
    });
  }

  /** Throws `invalid_api_key` or `authentication_unavailable`. */
  async authenticate(credential: Credential, asker: Asker): Promise<Principal> {
    let principal: Principal | undefined;
    try {
      principal = await this.#principals[credential.kind].get(credential.fingerprint, (atLeast) =>
        this.#reader.resolveCredential(credential, atLeast, asker),
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
  async models(organization: string, asker: Asker): Promise<ModelShelf> {
    try {
      const shelf = await this.#shelves.get(organization, async (atLeast, last) => {
        const known = this.#shared.known(last);
        const question = { organization, atLeast, knownTags: [...known.keys()] };
        const { answer = NO_MODELS, position } = await this.#reader.listModels(question, asker);
        return { answer: this.#shared.shelfOf(answer, known), position };
      });
      return shelf ?? this.#shared.shelfOf(NO_MODELS);
    } catch (cause) {
      const { code, message } = MODELS_UNAVAILABLE;
      throw new ServiceError(code, message, { cause, retryable: true });
    }
  }

  /**
   * The catalog has changed: what was answered before that place, and concerns it, is asked for again. False if it is
   * the change of an older store than another one heard of: then everything is in doubt, as after missed news.
   */
  noteChange(news: CatalogChanged): boolean {
    const inOrder = this.#knowledge.noteChange(news);
    if (!inOrder) this.noteMissedNews();
    return inOrder;
  }

  /** News of changes may have been missed until now. */
  noteMissedNews(): void {
    this.#knowledge.noteMissedNews(this.#clock());
  }

  #isExpired({ expiresAtMs }: Principal): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.#wallClock();
  }
}
