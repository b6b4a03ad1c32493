import { randomBase62 } from '@sluice/contracts';
import { CatalogError } from './catalog-error.ts';
import type { CatalogState, CatalogView, Stored } from './catalog-state.ts';
import { decodeChange, encodeChange, type Change, type ChangeAction } from './change-envelope.ts';
import { entryName, parseEntryName, type DocumentOf, type EntryKind } from './entry-kinds.ts';
import type { ResourceStore, StorePosition } from './resource-store.ts';

export interface PlannedChange<Kind extends EntryKind> {
  readonly kind: Kind;
  readonly id: string;
  readonly action: ChangeAction;
  /** Null deletes. */
  readonly document: DocumentOf<Kind> | null;
}

/** Looks at the catalog as it is and says what to write, or 'nothing'; throws a CatalogError when a rule forbids it. */
export type Decide<Kind extends EntryKind> = (
  catalog: CatalogView,
) => PlannedChange<Kind> | 'nothing';

export interface ChangeWriterOptions {
  readonly state: CatalogState;
  readonly store: ResourceStore;
  readonly now: () => number;
  /** Tells the gateways, once this replica itself has seen the change. */
  readonly announce: (position: StorePosition) => void;
  /** How long one change may take, the store's silence included. */
  readonly patienceMs: number;
}

/**
 * Makes changes whose rules span entries, without transactions: each write is decided on the whole state at one
 * position and stored only if that is still the store's last; if not, it is decided again.
 */
export class ChangeWriter {
  readonly #options: ChangeWriterOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChangeWriterOptions) {
    this.#options = options;
  }

  /** One at a time, because changes of this replica would only outrun each other. */
  change<Kind extends EntryKind>(by: string, decide: Decide<Kind>): Promise<StorePosition> {
    const done = this.#last.then(() => this.#change(by, decide));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #change<Kind extends EntryKind>(by: string, decide: Decide<Kind>): Promise<StorePosition> {
    const { state, store, now, patienceMs } = this.#options;
    const change = randomBase62(20);
    const giveUpAt = performance.now() + patienceMs;
    let doubtfulFrom: number | undefined;
    for (;;) {
      const position = await this.#loadedPosition(giveUpAt);
      if (doubtfulFrom !== undefined) {
        const own = await this.#findOwn(change, doubtfulFrom, position);
        if (own !== undefined) return this.#settle(own, giveUpAt);
      }
      const planned = decide(state);
      if (planned === 'nothing') return position;
      const { kind, id, action, document } = planned;
      const before = state.get(kind, id)?.document ?? null;
      const value = encodeChange({
        change,
        action,
        by,
        atMs: now(),
        before,
        document,
      } satisfies Change<Kind>);
      const written = await store.write(entryName(kind, id), value, position.sequence);
      switch (written.outcome) {
        case 'stored':
          return this.#settle({ epoch: position.epoch, sequence: written.sequence }, giveUpAt);
        case 'outrun':
          await this.#awaitNews(position, giveUpAt);
          break;
        case 'unknown':
          // A second attempt is safe: the expected sequence lets at most one of the two be stored.
          doubtfulFrom ??= position.sequence + 1;
          break;
        case 'unreachable':
          throw unavailable(doubtfulFrom === undefined);
      }
      if (performance.now() > giveUpAt) throw unavailable(doubtfulFrom === undefined);
    }
  }

  async #loadedPosition(giveUpAt: number): Promise<StorePosition> {
    const { state } = this.#options;
    if (!state.loaded) await state.reached({ epoch: 0, sequence: 0 }, remaining(giveUpAt));
    if (!state.loaded) throw new CatalogError('unavailable', 'the catalog is not loaded yet');
    return state.position;
  }

  async #awaitNews({ epoch, sequence }: StorePosition, giveUpAt: number): Promise<void> {
    const { state } = this.#options;
    const heard = await state.reached({ epoch, sequence: sequence + 1 }, remaining(giveUpAt));
    if (!heard) {
      throw new CatalogError(
        'unavailable',
        'this replica lags behind the store; nothing was changed',
      );
    }
  }

  /** The place of a change of this writer whose acknowledgement was lost. */
  async #findOwn(
    change: string,
    from: number,
    { epoch, sequence }: StorePosition,
  ): Promise<StorePosition | undefined> {
    const entries = from > sequence ? [] : await this.#options.store.history(from, sequence);
    for (const { name, value, sequence: place } of entries) {
      const kind = parseEntryName(name)?.kind;
      if (kind === undefined || value === undefined) continue;
      if (decodeChange(kind, value).change === change) return { epoch, sequence: place };
    }
    return undefined;
  }

  /** The change stands. Whoever asks this replica next must find it here, and the gateways are told. */
  async #settle(position: StorePosition, giveUpAt: number): Promise<StorePosition> {
    await this.#options.state.reached(position, remaining(giveUpAt));
    this.#options.announce(position);
    return position;
  }
}

function remaining(giveUpAt: number): number {
  return Math.max(0, giveUpAt - performance.now());
}

function unavailable(nothingChanged: boolean): CatalogError {
  return new CatalogError(
    'unavailable',
    nothingChanged
      ? 'the store cannot be reached; nothing was changed'
      : 'the store does not answer; whether the change was made is unknown',
  );
}

/** The entry a change applies to; refused when it is missing, or when somebody changed it since the caller looked. */
export function requireCurrent<Kind extends EntryKind>(
  found: Stored<Kind> | undefined,
  { what, expectedSequence }: { what: string; expectedSequence: number },
): Stored<Kind> {
  if (found === undefined) throw new CatalogError('not_found', `there is no ${what}`);
  if (expectedSequence !== 0 && found.sequence !== expectedSequence) {
    throw new CatalogError('conflict', `${what} was changed meanwhile: look at it again`);
  }
  return found;
}
