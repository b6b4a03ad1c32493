import type { Revision } from '@sluice/contracts';
import { CatalogState } from '../src/model/catalog-state.ts';
import { encodeChange } from '../src/model/change-envelope.ts';
import { EntrySchemas, entryName, type EntryKind } from '../src/model/entry-kinds.ts';
import type { ResourceStore, StoreEntry, WriteOutcome } from '../src/model/resource-store.ts';

export const EPOCH = 1_700_000_000_000;

/** A store in memory with the guarantees of the real one. Tests can make it fail like the real one. */
export class MemoryResourceStore implements ResourceStore {
  readonly entries: StoreEntry[] = [];
  readonly state: CatalogState;
  #epoch = EPOCH;
  /** Called before each write, with a function that writes. If it returns an outcome, the writer gets this outcome. */
  interceptWrite: ((write: () => WriteOutcome) => WriteOutcome | undefined) | undefined;

  constructor(state = new CatalogState()) {
    this.state = state;
    state.reset(this.#epoch);
    state.caughtUp(0);
  }

  write(
    name: string,
    value: Uint8Array,
    expectedLastSequence: number,
    { replacesHistory } = { replacesHistory: false },
  ): Promise<WriteOutcome> {
    const write = () => {
      const written = this.#write(name, value, expectedLastSequence);
      if (written.outcome === 'stored' && replacesHistory) this.#forget(name, written.sequence);
      return written;
    };
    return Promise.resolve(this.interceptWrite?.(write) ?? write());
  }

  #forget(name: string, before: number): void {
    const kept = this.entries.filter((entry) => entry.name !== name || entry.sequence >= before);
    this.entries.splice(0, this.entries.length, ...kept);
  }

  get #last(): number {
    return this.entries.at(-1)?.sequence ?? 0;
  }

  end(): Promise<Revision> {
    return Promise.resolve({ epoch: this.#epoch, sequence: this.#last });
  }

  history(from: number, to: number): Promise<readonly StoreEntry[]> {
    return Promise.resolve(
      this.entries.filter(({ sequence }) => sequence >= from && sequence <= to),
    );
  }

  /** Stores a resource as another writer would. Defaults are filled in. */
  put(kind: EntryKind, document: object, by = 'other'): void {
    const complete = EntrySchemas[kind].parse(document);
    const value = encodeChange({
      change: `change-${this.entries.length}`,
      action: 'create',
      by,
      atMs: 0,
      before: null,
      document: complete,
    });
    this.append(entryName(kind, complete.id), value);
  }

  /** Restores an older copy of the store, which has only the given number of changes. */
  restore(kept: number): void {
    this.entries.length = kept;
    this.#epoch += 1;
    this.state.reset(this.#epoch);
    for (const entry of this.entries) this.state.apply(entry);
    this.state.caughtUp(kept);
  }

  append(name: string, value: Uint8Array | undefined): number {
    const sequence = this.#last + 1;
    const entry = { name, value, sequence };
    this.entries.push(entry);
    this.state.apply(entry);
    return sequence;
  }

  #write(name: string, value: Uint8Array, expectedLastSequence: number): WriteOutcome {
    if (expectedLastSequence !== this.#last) return { outcome: 'conflict' };
    return { outcome: 'stored', sequence: this.append(name, value) };
  }
}
