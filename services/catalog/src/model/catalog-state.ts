import { isBefore, type Revision } from '@sluice/contracts';
import { readResource } from './change-envelope.ts';
import { ENTRY_KINDS, parseEntryName, type DocumentOf, type EntryKind } from './entry-kinds.ts';
import type { StoreEntry, StoreObserver } from './resource-store.ts';

/** A resource and the sequence of its last change. */
export interface Stored<Kind extends EntryKind> {
  readonly document: DocumentOf<Kind>;
  readonly sequence: number;
}

type Tables = { readonly [Kind in EntryKind]: Map<string, Stored<Kind>> };

/** Read access to the state. */
export interface CatalogView {
  readonly position: Revision;
  get<Kind extends EntryKind>(kind: Kind, id: string): Stored<Kind> | undefined;
  all<Kind extends EntryKind>(kind: Kind): Iterable<Stored<Kind>>;
  count(kind: EntryKind): number;
  /** How many changes of this kind were received. While this is unchanged, so are all entries of the kind. */
  changesOf(kind: EntryKind): number;
  apiKeyByDigest(sha256: string): Stored<'api_keys'> | undefined;
}

interface Replaced<Kind extends EntryKind> {
  readonly before: Stored<Kind> | undefined;
  readonly after: Stored<Kind> | undefined;
}

interface Waiter {
  readonly position: Revision;
  readonly reached: () => void;
}

export type UnreadableListener = (
  entry: { name: string; sequence: number },
  error: unknown,
) => void;

/** All entries of the store, in memory. Replicas at the same position have the same state. */
export class CatalogState implements CatalogView, StoreObserver {
  readonly #tables: Tables = {
    plans: new Map(),
    models: new Map(),
    accounts: new Map(),
    organizations: new Map(),
    projects: new Map(),
    api_keys: new Map(),
    signing_keys: new Map(),
    invitations: new Map(),
    sign_in_links: new Map(),
    budget_stops: new Map(),
  };
  readonly #changes: Record<EntryKind, number> = {
    plans: 0,
    models: 0,
    accounts: 0,
    organizations: 0,
    projects: 0,
    api_keys: 0,
    signing_keys: 0,
    invitations: 0,
    sign_in_links: 0,
    budget_stops: 0,
  };
  readonly #apiKeys = new Map<string, Stored<'api_keys'>>();
  readonly #onUnreadable: UnreadableListener;
  readonly #waiters = new Set<Waiter>();
  #epoch = 0;
  #sequence = 0;
  #loaded = false;

  constructor(onUnreadable: UnreadableListener = () => undefined) {
    this.#onUnreadable = onUnreadable;
  }

  /** Whether the state is complete. An incomplete state must not be used for answers. */
  get loaded(): boolean {
    return this.#loaded;
  }

  get position(): Revision {
    return { epoch: this.#epoch, sequence: this.#sequence };
  }

  get<Kind extends EntryKind>(kind: Kind, id: string): Stored<Kind> | undefined {
    return this.#tables[kind].get(id);
  }

  all<Kind extends EntryKind>(kind: Kind): Iterable<Stored<Kind>> {
    return this.#tables[kind].values();
  }

  count(kind: EntryKind): number {
    return this.#tables[kind].size;
  }

  changesOf(kind: EntryKind): number {
    return this.#changes[kind];
  }

  apiKeyByDigest(sha256: string): Stored<'api_keys'> | undefined {
    return this.#apiKeys.get(sha256);
  }

  reset(epoch: number): void {
    for (const kind of ENTRY_KINDS) {
      this.#tables[kind].clear();
      this.#changes[kind] += 1;
    }
    this.#apiKeys.clear();
    this.#epoch = epoch;
    this.#sequence = 0;
    this.#loaded = false;
  }

  apply(entry: StoreEntry): void {
    // Already received: the watch delivers entries again after an interruption.
    if (entry.sequence <= this.#sequence) return;
    const name = parseEntryName(entry.name);
    if (name?.kind === 'api_keys') this.#index(this.#replace(name.kind, name.id, entry));
    else if (name !== undefined) this.#replace(name.kind, name.id, entry);
    this.#advance(entry.sequence);
  }

  caughtUp(sequence: number): void {
    this.#loaded = true;
    this.#advance(Math.max(sequence, this.#sequence));
  }

  /** Whether the state is complete and at this position or later. */
  has(position: Revision): boolean {
    // Positions of an older epoch are before all positions of this one.
    return this.#loaded && !isBefore(this.position, position);
  }

  /** Waits for a position. Resolves with whether it was reached in time. */
  async reached(position: Revision, withinMs: number): Promise<boolean> {
    if (this.has(position)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { position, reached: () => resolve(true) };
    this.#waiters.add(waiter);
    const timer = setTimeout(resolve, withinMs, false);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  #replace<Kind extends EntryKind>(kind: Kind, id: string, entry: StoreEntry): Replaced<Kind> {
    this.#changes[kind] += 1;
    const table = this.#tables[kind];
    const before = table.get(id);
    const document = this.#read(kind, entry);
    if (document === null) {
      table.delete(id);
      return { before, after: undefined };
    }
    const after = { document, sequence: entry.sequence };
    table.set(id, after);
    return { before, after };
  }

  /** An unreadable entry counts as absent, so that a damaged API key gives no access. */
  #read<Kind extends EntryKind>(kind: Kind, entry: StoreEntry): DocumentOf<Kind> | null {
    try {
      return entry.value === undefined ? null : readResource(kind, entry.value);
    } catch (error) {
      this.#onUnreadable({ name: entry.name, sequence: entry.sequence }, error);
      return null;
    }
  }

  #index({ before, after }: Replaced<'api_keys'>): void {
    if (before !== undefined) this.#apiKeys.delete(before.document.sha256);
    if (after !== undefined) this.#apiKeys.set(after.document.sha256, after);
  }

  #advance(sequence: number): void {
    this.#sequence = sequence;
    if (!this.#loaded) return;
    for (const waiter of this.#waiters) if (this.has(waiter.position)) waiter.reached();
  }
}
