import { dropOldest } from './drop-oldest.ts';

const REMEMBERED_AT_MOST = 20_000;

/**
 * Where the last turn of a conversation went when its own worker was too busy: the cache is warm
 * there now. Only detours are remembered; everything else is found again by the hash.
 */
export class DetourMemory {
  readonly #workers = new Map<number, string>();

  get(affinity: number): string | undefined {
    return this.#workers.get(affinity);
  }

  remember(affinity: number, worker: string): void {
    this.#workers.delete(affinity);
    this.#workers.set(affinity, worker);
    dropOldest(this.#workers, REMEMBERED_AT_MOST);
  }

  forget(affinity: number): void {
    this.#workers.delete(affinity);
  }
}
