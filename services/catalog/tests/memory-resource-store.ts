import type { Revision } from '@sluice/contracts';
import { CatalogState } from '../src/domain/catalog-state.ts';
import { encodeChange } from '../src/domain/change-envelope.ts';
import { EntrySchemas, entryName, type EntryKind } from '../src/domain/entry-kinds.ts';
import type { ResourceStore, StoreEntry, WriteOutcome } from '../src/domain/resource-store.ts';

export const EPOCH = 1_700_000_000_000;

/** A store in memory with the promises of the real one, which can be told to misbehave as the real one can. */
export class MemoryResourceStore implements ResourceStore {
  readonly entries: StoreEntry[] = [];
  readonly state: CatalogState;
  #epoch = EPOCH;
  /** Called with each write before it is looked at; what it returns is the writer's answer instead of the true one. */
  meddle: ((write: () => WriteOutcome) => WriteOutcome | undefined) | undefined;

  constructor(state = new CatalogState()) {
    this.state = state;
    state.reset(this.#epoch);
    state.caughtUp(0);
  }

  write(name: string, value: Uint8Array, expectedLastSequence: number): Promise<WriteOutcome> {
    const write = () => this.#write(name, value, expectedLastSequence);
    return Promise.resolve(this.meddle?.(write) ?? write());
  }

  end(): Promise<Revision> {
    return Promise.resolve({ epoch: this.#epoch, sequence: this.entries.length });
  }

  history(from: number, to: number): Promise<readonly StoreEntry[]> {
    return Promise.resolve(
      this.entries.filter(({ sequence }) => sequence >= from && sequence <= to),
    );
  }

  /** Puts a resource there as some writer would have, with all defaults filled in. */
  put(kind: EntryKind, document: object, by = 'somebody'): void {
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

  /** As if an older copy had been restored, with so many of its changes. */
  goBack(kept: number): void {
    this.entries.length = kept;
    this.#epoch += 1;
    this.state.reset(this.#epoch);
    for (const entry of this.entries) this.state.apply(entry);
    this.state.caughtUp(kept);
  }

  append(name: string, value: Uint8Array | undefined): number {
    const sequence = this.entries.length + 1;
    const entry = { name, value, sequence };
    this.entries.push(entry);
    this.state.apply(entry);
    return sequence;
  }

  #write(name: string, value: Uint8Array, expectedLastSequence: number): WriteOutcome {
    if (expectedLastSequence !== this.entries.length) return { outcome: 'outrun' };
    return { outcome: 'stored', sequence: this.append(name, value) };
  }
}
