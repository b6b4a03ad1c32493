import { setTimeout as delay } from 'node:timers/promises';
import { OLDEST_REVISION, isBefore, randomBase62, type Revision } from '@sluice/contracts';
import { CatalogError } from './catalog-error.ts';
import type { CatalogState, CatalogView } from './catalog-state.ts';
import { encodeChange, readEnvelope, type ChangeAction } from './change-envelope.ts';
import {
  NOUNS,
  entryName,
  parseEntryName,
  type DocumentOf,
  type EntryKind,
} from './entry-kinds.ts';
import type { ResourceStore, StoreEntry } from './resource-store.ts';

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

const UNREACHABLE_RETRY_MS = 100;

/** What is said of a change in logs and announcements: nothing of what it holds. */
export interface ChangeSummary extends Omit<PlannedChange<EntryKind>, 'document'> {
  readonly by: string;
  readonly position: Revision;
}

export interface ChangeWriterOptions {
  readonly state: CatalogState;
  readonly store: ResourceStore;
  readonly wallClock: () => number;
  /** Called once this replica itself has seen the change. */
  readonly onChanged: (changed: ChangeSummary) => void;
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
  change<Kind extends EntryKind>(by: string, decide: Decide<Kind>): Promise<Revision> {
    const attempt: Attempt<Kind> = {
      by,
      decide,
      change: randomBase62(20),
      // Counted from here: what has waited in line until its caller gave up must not be done any more.
      giveUpAt: performance.now() + this.#options.patienceMs,
      doubtfulFrom: undefined,
    };
    const done = this.#last.then(() => this.#pursue(attempt));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #pursue<Kind extends EntryKind>(attempt: Attempt<Kind>): Promise<Revision> {
    const { state } = this.#options;
    while (remaining(attempt) > 0) {
      await this.#loaded(attempt);
      const own = await this.#findOwn(attempt);
      if (own === 'look again') continue;
      if (own !== undefined) return own;

      const { position } = state;
      const decision = decisionOf(attempt, state);
      if (decision.outcome === 'write') {
        const stored = await this.#write(attempt, decision.planned, position);
        if (stored !== undefined) return stored;
      } else if (!(await this.#wasBehind(position, attempt))) {
        if (decision.outcome === 'refused') throw decision.refusal;
        return position;
      }
    }
    throw unavailable(attempt);
  }

  /** Where the change stands; undefined when it has to be decided again. */
  async #write<Kind extends EntryKind>(
    attempt: Attempt<Kind>,
    planned: PlannedChange<Kind>,
    position: Revision,
  ): Promise<Revision | undefined> {
    const name = entryName(planned.kind, planned.id);
    const value = this.#encode(attempt, planned);
    const written = await this.#options.store.write(name, value, position.sequence);
    switch (written.outcome) {
      case 'stored':
        return this.#settle(attempt, planned, { ...position, sequence: written.sequence });
      case 'outrun':
        await this.#awaitNews(position, attempt);
        return undefined;
      case 'unknown':
        // A second write is safe: the expected sequence lets at most one of the two be stored.
        // The lowest, since the store may have gone back in time between two of them.
        attempt.doubtfulFrom = Math.min(attempt.doubtfulFrom ?? Infinity, position.sequence + 1);
        return undefined;
      case 'unreachable':
        // Restarts and elections pass; nobody who asked for a change minds waiting a little.
        await delay(UNREACHABLE_RETRY_MS);
        return undefined;
      case 'too large':
        throw tooLarge(planned, written.limit);
      case 'refused':
        throw refused(attempt, written.reason);
    }
  }

  #encode<Kind extends EntryKind>(
    { change, by }: Attempt<Kind>,
    { kind, id, action, document }: PlannedChange<Kind>,
  ): Uint8Array {
    const before = this.#options.state.get(kind, id)?.document ?? null;
    return encodeChange({ change, action, by, atMs: this.#options.wallClock(), before, document });
  }

  async #loaded(attempt: Attempt<EntryKind>): Promise<void> {
    const { state } = this.#options;
    if (!(await state.reached(OLDEST_REVISION, remaining(attempt)))) {
      throw new CatalogError('unavailable', 'the catalog is not loaded yet');
    }
  }

  /**
   * A write tells when the store has moved on; whoever decides not to write has to ask. Without it, one replica would
   * not know what was just made at another.
   */
  async #wasBehind(position: Revision, attempt: Attempt<EntryKind>): Promise<boolean> {
    const { state, store } = this.#options;
    let end: Revision;
    try {
      end = await store.end();
    } catch {
      // It cannot be asked, so it cannot be changed either: what is known has to do.
      return false;
    }
    if (!isBefore(position, end)) return false;
    if (!(await state.reached(end, remaining(attempt)))) throw unavailable(attempt);
    return true;
  }

  async #awaitNews({ epoch, sequence }: Revision, attempt: Attempt<EntryKind>): Promise<void> {
    const { state } = this.#options;
    const heard = await state.reached({ epoch, sequence: sequence + 1 }, remaining(attempt));
    if (!heard) throw unavailable(attempt);
  }

  /** Where a change of this attempt stands, if its acknowledgement was lost and not the change. */
  async #findOwn(attempt: Attempt<EntryKind>): Promise<Revision | 'look again' | undefined> {
    const { state, store } = this.#options;
    const { change, doubtfulFrom: from } = attempt;
    const { position } = state;
    if (from === undefined || from > position.sequence) return undefined;
    let entries: readonly StoreEntry[];
    try {
      entries = await store.history(from, position.sequence);
    } catch (cause) {
      throw unavailable(attempt, cause);
    }
    for (const { name, value, sequence } of entries) {
      const entry = parseEntryName(name);
      const envelope = value === undefined ? undefined : readEnvelope(value);
      if (entry === undefined || envelope?.change !== change) continue;
      return this.#settle(
        attempt,
        { ...entry, action: envelope.action },
        { ...position, sequence },
      );
    }
    // It may have come to light while we were looking behind.
    const { epoch, sequence } = state.position;
    const isUnchanged = epoch === position.epoch && sequence === position.sequence;
    return isUnchanged ? undefined : 'look again';
  }

  /** The change stands. Whoever asks this replica next must find it here; then the gateways are told. */
  async #settle(
    attempt: Attempt<EntryKind>,
    { kind, id, action }: Omit<PlannedChange<EntryKind>, 'document'>,
    position: Revision,
  ): Promise<Revision> {
    await this.#options.state.reached(position, remaining(attempt));
    this.#options.onChanged({ by: attempt.by, kind, id, action, position });
    return position;
  }
}

interface Attempt<Kind extends EntryKind> {
  readonly by: string;
  readonly decide: Decide<Kind>;
  /** Unique to the attempt, and stored with the change. */
  readonly change: string;
  readonly giveUpAt: number;
  /** A write of unknown outcome stands here or later, if it stands. */
  doubtfulFrom: number | undefined;
}

type Decision<Kind extends EntryKind> =
  | { readonly outcome: 'write'; readonly planned: PlannedChange<Kind> }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'refused'; readonly refusal: unknown };

/** A refusal is not thrown yet: the catalog may have been behind. */
function decisionOf<Kind extends EntryKind>(
  attempt: Attempt<Kind>,
  catalog: CatalogView,
): Decision<Kind> {
  try {
    const planned = attempt.decide(catalog);
    return planned === 'nothing' ? { outcome: 'nothing' } : { outcome: 'write', planned };
  } catch (refusal) {
    return { outcome: 'refused', refusal };
  }
}

function remaining({ giveUpAt }: Attempt<EntryKind>): number {
  return Math.max(0, giveUpAt - performance.now());
}

function unavailable({ doubtfulFrom }: Attempt<EntryKind>, cause?: unknown): CatalogError {
  return new CatalogError(
    'unavailable',
    doubtfulFrom === undefined
      ? 'the store cannot be reached; nothing was changed'
      : 'the store does not answer; whether the change was made is unknown',
    { cause },
  );
}

/** Somebody has to make room: whoever asked for the change does not try again until then. */
function refused(attempt: Attempt<EntryKind>, reason: string): CatalogError {
  if (attempt.doubtfulFrom !== undefined) return unavailable(attempt);
  const message = `the store takes no changes (${reason}); nothing was changed`;
  return new CatalogError('forbidden_by_state', message);
}

function tooLarge({ kind, id }: PlannedChange<EntryKind>, limit: number): CatalogError {
  return new CatalogError(
    'invalid',
    `${NOUNS[kind]} ${id} is too large: with what it replaces it must stay below ${limit} bytes`,
  );
}
