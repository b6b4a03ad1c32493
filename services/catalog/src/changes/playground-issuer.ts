import { PLAYGROUND_TOKEN_LIFE_MS, randomBase62 } from '@sluice/contracts';
import type { CatalogView } from '../model/catalog-state.ts';
import {
  makeSigningKeyPair,
  signPlaygroundToken,
  type SigningKeyPair,
} from '../model/playground-token.ts';
import { requireActiveMember, requireEntry } from '../model/reference-rules.ts';
import type { ChangeWriter } from './change-writer.ts';

/** The author of changes that the catalog makes by itself. No admin token may have this name. */
export const CATALOG_ITSELF = 'catalog';

/** How long a key pair signs tokens. Its public key is kept until the last of these tokens has expired. */
export const SIGNING_KEY_LIFE_MS = 60 * 60_000;
/** A public key is kept this much longer, because the clocks of replicas differ. */
const CLOCK_TOLERANCE_MS = 60_000;

export interface PlaygroundIssuerOptions {
  readonly catalog: CatalogView;
  readonly writer: ChangeWriter;
  readonly wallClock: () => number;
}

export interface IssuedPlaygroundToken {
  /** Identifies the token in logs. Not a secret. */
  readonly id: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Issues playground tokens with a key pair of this replica. The public key is stored, so that every replica can verify
 * tokens. The private key is only in memory, so a restarted replica makes a new pair. A pair is made when the first
 * token is needed, and replaced after an hour.
 */
export class PlaygroundIssuer {
  readonly #options: PlaygroundIssuerOptions;
  #current: { pair: SigningKeyPair; signsUntilMs: number } | undefined;
  #making: Promise<SigningKeyPair> | undefined;

  constructor(options: PlaygroundIssuerOptions) {
    this.#options = options;
  }

  /**
   * The account must be an active member. All other conditions are checked at each use of the token, because they
   * can change during its lifetime.
   */
  async issue(request: { project: string; account: string }): Promise<IssuedPlaygroundToken> {
    const { catalog, wallClock } = this.#options;
    requireMember(catalog, request);
    const pair = await this.#pair();
    const expiresAtMs = wallClock() + PLAYGROUND_TOKEN_LIFE_MS;
    const id = `pgt_${randomBase62(16)}`;
    const claims = {
      id,
      key: pair.id,
      account: request.account,
      project: request.project,
      expires_at_ms: expiresAtMs,
    };
    return { id, token: signPlaygroundToken(claims, pair), expiresAtMs };
  }

  async #pair(): Promise<SigningKeyPair> {
    const { catalog, wallClock } = this.#options;
    const current = this.#current;
    // If the store was recreated, the public key is missing and a new pair is needed.
    if (
      current !== undefined &&
      current.signsUntilMs > wallClock() &&
      catalog.get('signing_keys', current.pair.id)
    ) {
      return current.pair;
    }
    this.#making ??= this.#makePair().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makePair(): Promise<SigningKeyPair> {
    const { writer, wallClock } = this.#options;
    const pair = makeSigningKeyPair();
    const created = wallClock();
    const signsUntilMs = created + SIGNING_KEY_LIFE_MS;
    await writer.change(CATALOG_ITSELF, () => ({
      kind: 'signing_keys',
      id: pair.id,
      action: 'create',
      document: {
        id: pair.id,
        public_key: pair.publicKey,
        created_at_ms: created,
        expires_at_ms: signsUntilMs + PLAYGROUND_TOKEN_LIFE_MS + CLOCK_TOLERANCE_MS,
      },
    }));
    this.#current = { pair, signsUntilMs };
    await this.#deleteExpired(created);
    return pair;
  }

  /** Deletes the expired keys of all replicas, because the replica that made a key may no longer exist. */
  async #deleteExpired(nowMs: number): Promise<void> {
    const { catalog, writer } = this.#options;
    const expired = Array.from(catalog.all('signing_keys'), ({ document }) => document).filter(
      ({ expires_at_ms }) => expires_at_ms <= nowMs,
    );
    for (const { id } of expired) {
      await writer.change(CATALOG_ITSELF, (current) =>
        current.get('signing_keys', id) === undefined
          ? 'nothing'
          : { kind: 'signing_keys', id, action: 'delete', document: null },
      );
    }
  }
}

function requireMember(catalog: CatalogView, request: { project: string; account: string }): void {
  requireEntry(catalog, 'accounts', request.account);
  const { document: project } = requireEntry(catalog, 'projects', request.project);
  const { document: organization } = requireEntry(catalog, 'organizations', project.organization);
  requireActiveMember(organization, request.account);
}
