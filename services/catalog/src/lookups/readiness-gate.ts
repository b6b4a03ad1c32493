import { setTimeout as delay } from 'node:timers/promises';
import { OLDEST_REVISION, isBefore, type Revision } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogState, CatalogView } from '../model/catalog-state.ts';
import type { ResourceStore } from '../model/resource-store.ts';

export interface ReadinessGateOptions {
  readonly state: CatalogState;
  readonly store: Pick<ResourceStore, 'end'>;
  /** Whether changes currently arrive as they happen. */
  readonly live: () => boolean;
  /** A monotonic clock in milliseconds, because a wall clock that is set would change the time limits. */
  readonly clock: () => number;
  /** How long to wait for a position that is not reached yet. */
  readonly lagWaitMs: number;
  /** How long to answer from memory while no changes arrive. */
  readonly staleAnswersMs: number;
}

/** A timer calls `notice` every second. If two calls are this far apart, the process itself was paused. */
const PAUSE_MS = 2_500;
/**
 * How long the process must run after a pause before a live connection can be trusted. Pings reveal a dead connection
 * within six seconds.
 */
const DETECTION_MS = 7_000;
/**
 * The time between two pings of the connection. However long a pause was, only one ping is sent after it. A longer gap
 * between two calls of `notice` therefore counts as this much running time.
 */
const PING_INTERVAL_MS = 2_000;

/** A pause of the process, in which it may have lost its connection without noticing yet. */
interface RecentPause {
  readonly since: number;
  /** How long the process still has to run until a loss would be noticed. */
  leftMs: number;
}

/** Gives access to the state only if it is loaded, has reached the position that the caller needs, and is not stale. */
export class ReadinessGate {
  readonly #options: ReadinessGateOptions;
  #noticedAt: number;
  /** Since when changes may be missing. Undefined while all of them arrive. */
  #staleSince: number | undefined;
  /** The oldest first. There are few, because each one expires. */
  readonly #recentPauses: RecentPause[] = [];

  constructor(options: ReadinessGateOptions) {
    this.#options = options;
    this.#noticedAt = options.clock();
  }

  /** Resolves with the state at this position or later; rejects if it is not reached in time. */
  async open(atLeast = OLDEST_REVISION): Promise<CatalogView> {
    const { state } = this.#options;
    if (!state.has(atLeast) && !(await this.#waitFor(atLeast))) {
      throw new CatalogError(
        'unavailable',
        state.loaded ? 'this replica lags behind' : 'not loaded yet',
      );
    }
    this.#refuseStale();
    return state;
  }

  /**
   * Resolves with the state that includes every change made so far at any replica, so that an operator sees the result
   * of the last command. If the store cannot be asked, it is the state of this replica.
   */
  async openLatest(): Promise<CatalogView> {
    const { store, lagWaitMs } = this.#options;
    const answer = new AbortController();
    try {
      const giveUp = delay(lagWaitMs, undefined, { signal: answer.signal });
      return await this.open(await Promise.race([store.end().catch(() => undefined), giveUp]));
    } finally {
      answer.abort();
    }
  }

  /**
   * Notes whether changes arrive. Not only requests call it, but also a timer, so that the time without changes is
   * counted from its beginning and not from the next request.
   */
  notice(): void {
    const { live, clock } = this.#options;
    const now = clock();
    const before = this.#noticedAt;
    this.#noticedAt = now;
    for (const pause of this.#recentPauses) {
      pause.leftMs -= Math.min(now - before, PING_INTERVAL_MS);
    }
    if (now - before >= PAUSE_MS) {
      this.#recentPauses.push({ since: before, leftMs: DETECTION_MS });
    }
    if (live()) {
      while (this.#recentPauses[0] !== undefined && this.#recentPauses[0].leftMs <= 0) {
        this.#recentPauses.shift();
      }
      this.#staleSince = this.#recentPauses[0]?.since;
    } else {
      this.#staleSince ??= this.#recentPauses[0]?.since ?? now;
      // The connection is known to be lost. `live` becomes true again only after the missed changes have been read.
      this.#recentPauses.length = 0;
    }
  }

  /**
   * Waits for a position, and asks the store whether the position exists at all. A store that lost its last changes
   * or was restored from an older copy never reaches it, and every request would wait until its time limit.
   */
  #waitFor(wanted: Revision): Promise<boolean> {
    const { state, lagWaitMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void state.reached(wanted, lagWaitMs).then(resolve);
    this.#isBeyondEnd(wanted).then(
      (beyond) => beyond && resolve(true),
      // If the store cannot be asked, only the time limit of the wait applies.
      () => undefined,
    );
    return promise;
  }

  async #isBeyondEnd(wanted: Revision): Promise<boolean> {
    const { state, store } = this.#options;
    const end = await store.end();
    return isBefore(end, wanted) && state.has(end) && state.position.epoch === end.epoch;
  }

  #refuseStale(): void {
    this.notice();
    const { clock, staleAnswersMs } = this.#options;
    if (this.#staleSince !== undefined && clock() - this.#staleSince > staleAnswersMs) {
      throw new CatalogError('unavailable', 'this replica has received no changes for too long');
    }
  }
}
