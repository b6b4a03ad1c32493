import { setTimeout as delay } from 'node:timers/promises';
import { OLDEST_REVISION, isBefore, randomBase62, type Revision } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogState, CatalogView } from '../model/catalog-state.ts';
import { encodeChange, readEnvelope, type ChangeAction } from '../model/change-envelope.ts';
import {
  KIND_LABELS,
  entryName,
  parseEntryName,
  type DocumentOf,
  type EntryKind,
} from '../model/entry-kinds.ts';
import type { ResourceStore, StoreEntry } from '../model/resource-store.ts';

export interface PlannedChange<Kind extends EntryKind> {
  readonly kind: Kind;
  readonly id: string;
  readonly action: ChangeAction;
  /** The new document. Null deletes the entry. */
  readonly document: DocumentOf<Kind> | null;
  /** If true, the store deletes all earlier versions of the entry, so the audit log no longer shows them. */
  readonly erasesHistory?: boolean;
}

/**
 * Plans a change to the given state. Returns 'nothing' if no change is needed, and throws a CatalogError if a rule
 * forbids the change.
 */
export type PlanChange<Kind extends EntryKind> = (
  catalog: CatalogView,
) => PlannedChange<Kind> | 'nothing';

const UNREACHABLE_RETRY_MS = 100;

/** Describes a change in logs and announcements, without the document. */
export interface ChangeSummary extends Omit<PlannedChange<EntryKind>, 'document'> {
  readonly by: string;
  readonly position: Revision;
}

export interface ChangeWriterOptions {
  readonly state: CatalogState;
  readonly store: ResourceStore;
  readonly wallClock: () => number;
  /** Called after a change was stored, and normally after this replica has received it. */
  readonly onChanged: (changed: ChangeSummary) => void;
  /** How long one change may take, including retries. */
  readonly timeoutMs: number;
}

/**
 * Makes changes whose rules span several entries by optimistic concurrency control. A change is planned on the whole
 * state at one position, and stored only if this is still the last position of the store. If not, it is planned again.
 */
export class ChangeWriter {
  readonly #options: ChangeWriterOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChangeWriterOptions) {
    this.#options = options;
  }

  /** Runs one change at a time, because concurrent changes would only conflict with each other. */
  change<Kind extends EntryKind>(by: string, planChange: PlanChange<Kind>): Promise<Revision> {
    const attempt: Attempt<Kind> = {
      by,
      planChange,
      changeId: randomBase62(20),
      // The time in the queue counts too, because a change must not be made after its caller has given up.
      giveUpAt: performance.now() + this.#options.timeoutMs,
      uncertainFrom: undefined,
    };
    const done = this.#last.then(() => this.#run(attempt));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #run<Kind extends EntryKind>(attempt: Attempt<Kind>): Promise<Revision> {
    const { state } = this.#options;
    while (remaining(attempt) > 0) {
      await this.#waitUntilLoaded(attempt);
      const own = await this.#findOwnWrite(attempt);
      if (own === 'retry') continue;
      if (own !== undefined) return own;

      const { position } = state;
      const decision = decisionOf(attempt, state);
      if (decision.outcome === 'write') {
        const stored = await this.#write(attempt, decision.planned, position);
        if (stored !== undefined) return stored;
        continue;
      }
      const wasBehind = await this.#catchUp(position, attempt);
      if (wasBehind) continue;
      if (decision.outcome === 'refused') throw decision.refusal;
      return position;
    }
    throw unavailable(attempt);
  }

  /** Returns the position of the change; undefined if it has to be planned again. */
  async #write<Kind extends EntryKind>(
    attempt: Attempt<Kind>,
    planned: PlannedChange<Kind>,
    position: Revision,
  ): Promise<Revision | undefined> {
    const name = entryName(planned.kind, planned.id);
    const value = this.#encode(attempt, planned);
    const written = await this.#options.store.write(name, value, position.sequence, {
      replacesHistory: planned.erasesHistory ?? false,
    });
    switch (written.outcome) {
      case 'stored':
        return this.#finish(attempt, planned, { ...position, sequence: written.sequence });
      case 'conflict':
        await this.#waitForNextChange(position, attempt);
        return undefined;
      case 'unknown':
        // Writing again is safe: the store accepts at most one of the two writes, because each expects a last sequence
        // that the other one changes. If the store is restored from a backup between the writes, the second position
        // can be lower. The lowest one is kept.
        attempt.uncertainFrom = Math.min(attempt.uncertainFrom ?? Infinity, position.sequence + 1);
        return undefined;
      case 'unreachable':
        // The store is soon reachable again if NATS restarts or elects a leader.
        await delay(UNREACHABLE_RETRY_MS);
        return undefined;
      case 'too large':
        throw tooLarge(planned, written.limit);
      case 'refused':
        throw refused(attempt, written.reason);
    }
  }

  #encode<Kind extends EntryKind>(
    { changeId, by }: Attempt<Kind>,
    { kind, id, action, document, erasesHistory = false }: PlannedChange<Kind>,
  ): Uint8Array {
    const present = this.#options.state.get(kind, id)?.document ?? null;
    const before = erasesHistory ? null : present;
    const atMs = this.#options.wallClock();
    return encodeChange({ change: changeId, action, by, atMs, before, document });
  }

  async #waitUntilLoaded(attempt: Attempt<EntryKind>): Promise<void> {
    const { state } = this.#options;
    if (!(await state.reached(OLDEST_REVISION, remaining(attempt)))) {
      throw new CatalogError('unavailable', 'the catalog is not loaded yet');
    }
  }

  /**
   * Waits until this replica has caught up with the store, and returns whether it was behind. A write learns this from
   * a conflict. A decision not to write has to ask the store, because another replica may just have made a change that
   * leads to a different decision.
   */
  async #catchUp(position: Revision, attempt: Attempt<EntryKind>): Promise<boolean> {
    const { state, store } = this.#options;
    let end: Revision;
    try {
      end = await store.end();
    } catch {
      // The store cannot be reached, so it cannot be changed either. The known state is good enough.
      return false;
    }
    if (!isBefore(position, end)) return false;
    if (!(await state.reached(end, remaining(attempt)))) throw unavailable(attempt);
    return true;
  }

  async #waitForNextChange(
    { epoch, sequence }: Revision,
    attempt: Attempt<EntryKind>,
  ): Promise<void> {
    const { state } = this.#options;
    const received = await state.reached({ epoch, sequence: sequence + 1 }, remaining(attempt));
    if (!received) throw unavailable(attempt);
  }

  /** Finds an earlier write of this attempt that was stored although its acknowledgement was lost. */
  async #findOwnWrite(attempt: Attempt<EntryKind>): Promise<Revision | 'retry' | undefined> {
    const { state, store } = this.#options;
    const { changeId, uncertainFrom: from } = attempt;
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
      if (entry === undefined || envelope?.change !== changeId) continue;
      return this.#finish(
        attempt,
        { ...entry, action: envelope.action },
        { ...position, sequence },
      );
    }
    // The change may have arrived at this replica while the history was read.
    const { epoch, sequence } = state.position;
    const isUnchanged = epoch === position.epoch && sequence === position.sequence;
    return isUnchanged ? undefined : 'retry';
  }

  /** Waits until this replica has received the stored change, so that the next read includes it. */
  async #finish(
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
  readonly planChange: PlanChange<Kind>;
  /** A unique id that is stored with the change. */
  readonly changeId: string;
  readonly giveUpAt: number;
  /** If a write of unknown outcome was stored, its position is this or later. */
  uncertainFrom: number | undefined;
}

type Decision<Kind extends EntryKind> =
  | { readonly outcome: 'write'; readonly planned: PlannedChange<Kind> }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'refused'; readonly refusal: unknown };

/** Plans the change. A refusal is returned and not thrown, because the state may be behind the store. */
function decisionOf<Kind extends EntryKind>(
  attempt: Attempt<Kind>,
  catalog: CatalogView,
): Decision<Kind> {
  try {
    const planned = attempt.planChange(catalog);
    return planned === 'nothing' ? { outcome: 'nothing' } : { outcome: 'write', planned };
  } catch (refusal) {
    return { outcome: 'refused', refusal };
  }
}

function remaining({ giveUpAt }: Attempt<EntryKind>): number {
  return Math.max(0, giveUpAt - performance.now());
}

function unavailable({ uncertainFrom }: Attempt<EntryKind>, cause?: unknown): CatalogError {
  return new CatalogError(
    'unavailable',
    uncertainFrom === undefined
      ? 'the store cannot be reached; nothing was changed'
      : 'the store does not answer; whether the change was made is unknown',
    { cause },
  );
}

/**
 * For a store that refuses writes because it is full. The error code is not `unavailable`, because every retry fails
 * until an operator makes room.
 */
function refused(attempt: Attempt<EntryKind>, reason: string): CatalogError {
  if (attempt.uncertainFrom !== undefined) return unavailable(attempt);
  const message = `the store takes no changes (${reason}); nothing was changed`;
  return new CatalogError('forbidden_by_state', message);
}

function tooLarge({ kind, id }: PlannedChange<EntryKind>, limit: number): CatalogError {
  return new CatalogError(
    'invalid',
    `${KIND_LABELS[kind]} ${id} is too large: with what it replaces it must stay below ${limit} bytes`,
  );
}
