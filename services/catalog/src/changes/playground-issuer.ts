import { PLAYGROUND_TOKEN_LIFE_MS, randomBase62 } from '@sluice/contracts';
import type { CatalogView } from './catalog-state.ts';
import type { ChangeWriter } from './change-writer.ts';
import {
  makeSigningKeyPair,
  signPlaygroundToken,
  type SigningKeyPair,
} from './playground-token.ts';
import { requireActiveMember, requireEntry } from './reference-rules.ts';

/** Who writes what no operator asked for. No admin token may have this name. */
export const CATALOG_ITSELF = 'catalog';

/** A pair signs for this long; its public half is kept until the last of its tokens has expired. */
export const SIGNING_KEY_LIFE_MS = 60 * 60_000;
/** Clocks of replicas differ: a public half outlives its tokens by this much. */
const CLOCK_TOLERANCE_MS = 60_000;

export interface PlaygroundIssuerOptions {
  readonly catalog: CatalogView;
  readonly writer: ChangeWriter;
  readonly wallClock: () => number;
}

export interface IssuedPlaygroundToken {
  /** Names the token in logs, and is no secret. */
  readonly id: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Issues playground credentials with a key pair of this replica's own. Only the public half is stored, so that every
 * replica can verify; the private half lives in memory, and a restarted replica simply makes another pair. A pair is
 * made when the first token is asked for, and again each hour in which one is.
 */
export class PlaygroundIssuer {
  readonly #options: PlaygroundIssuerOptions;
  #current: { pair: SigningKeyPair; signsUntilMs: number } | undefined;
  #making: Promise<SigningKeyPair> | undefined;

  constructor(options: PlaygroundIssuerOptions) {
    this.#options = options;
  }

  /**
   * The account must be an active member. Whatever else may refuse it is judged at each use, since it can change
   * within the token's life.
   */
  async issue(order: { project: string; account: string }): Promise<IssuedPlaygroundToken> {
    const { catalog, wallClock } = this.#options;
    requireMember(catalog, order);
    const pair = await this.#pair();
    const expiresAtMs = wallClock() + PLAYGROUND_TOKEN_LIFE_MS;
    const id = `pgt_${randomBase62(16)}`;
    const claims = {
      id,
      key: pair.id,
      account: order.account,
      project: order.project,
      expires_at_ms: expiresAtMs,
    };
    return { id, token: signPlaygroundToken(claims, pair), expiresAtMs };
  }

  async #pair(): Promise<SigningKeyPair> {
    const { catalog, wallClock } = this.#options;
    const current = this.#current;
    // The public half is gone when the store was made anew.
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
    await this.#dropExpired(created);
    return pair;
  }

  /** Those of every replica: the one that made a pair may be gone. */
  async #dropExpired(nowMs: number): Promise<void> {
    const { catalog, writer } = this.#options;
    const expired = Array.from(catalog.all('signing_keys'), ({ document }) => document).filter(
      ({ expires_at_ms }) => expires_at_ms <= nowMs,
    );
    for (const { id } of expired) {
      await writer.change(CATALOG_ITSELF, (present) =>
        present.get('signing_keys', id) === undefined
          ? 'nothing'
          : { kind: 'signing_keys', id, action: 'delete', document: null },
      );
    }
  }
}

function requireMember(
  catalog: CatalogView,
  { project, account }: { project: string; account: string },
): void {
  requireEntry(catalog, 'accounts', account);
  const { document: owner } = requireEntry(catalog, 'projects', project);
  const { document: organization } = requireEntry(catalog, 'organizations', owner.organization);
  requireActiveMember(organization, account);
}
