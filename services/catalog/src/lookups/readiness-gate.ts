import { setTimeout as delay } from 'node:timers/promises';
import { OLDEST_REVISION, isBefore, type Revision } from '@sluice/contracts';
import { CatalogError } from './catalog-error.ts';
import type { CatalogState, CatalogView } from './catalog-state.ts';
import type { ResourceStore } from './resource-store.ts';

export interface AnswerGateOptions {
  readonly state: CatalogState;
  readonly store: Pick<ResourceStore, 'end'>;
  /** Whether changes are being heard as they happen. */
  readonly live: () => boolean;
  /** A monotonic clock in milliseconds: one that is set by hand or corrected would lengthen or end the patience. */
  readonly clock: () => number;
  /** How long to wait for a position that was not reached yet. */
  readonly lagWaitMs: number;
  /** How long to answer without hearing of changes. */
  readonly staleAnswersMs: number;
}

/** It is noticed every second whether changes are heard. After a pause like this the process itself stood still. */
const STOOD_STILL_MS = 2_500;
/** After that it takes this long at most to notice a connection that was lost without a word: pings take six seconds. */
const IN_DOUBT_MS = 7_000;
/** However long a pause is, there is one ping at its end. */
const PING_INTERVAL_MS = 2_000;

/** It may have lost its connection in a pause, and not know it yet. */
interface Doubt {
  readonly since: number;
  /** Of its own running. */
  leftMs: number;
}

/** Lets a question through to the state when the state is fit to answer it. */
export class AnswerGate {
  readonly #options: AnswerGateOptions;
  #noticedAt: number;
  #deafSince: number | undefined;
  /** The oldest first; a process that is always late has few of them, since each ends. */
  readonly #doubts: Doubt[] = [];

  constructor(options: AnswerGateOptions) {
    this.#options = options;
    this.#noticedAt = options.clock();
  }

  /** The state, at the position asked for or later; rejects when it cannot get there in time. */
  async open(atLeast = OLDEST_REVISION): Promise<CatalogView> {
    const { state } = this.#options;
    if (!state.has(atLeast) && !(await this.#getsThere(atLeast))) {
      throw new CatalogError(
        'unavailable',
        state.loaded ? 'this replica lags behind' : 'not loaded yet',
      );
    }
    this.#refuseStale();
    return state;
  }

  /**
   * The state with every change that was made at any replica until now: an operator goes on from what the last command
   * did. When the store cannot be asked, it is what this replica knows.
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

  /** Called from time to time too, so that the clock starts when hearing stops and not at the next question. */
  notice(): void {
    const { live, clock } = this.#options;
    const now = clock();
    const before = this.#noticedAt;
    this.#noticedAt = now;
    for (const doubt of this.#doubts) doubt.leftMs -= Math.min(now - before, PING_INTERVAL_MS);
    // It has heard nothing since.
    if (now - before >= STOOD_STILL_MS) this.#doubts.push({ since: before, leftMs: IN_DOUBT_MS });
    if (live()) {
      while (this.#doubts[0] !== undefined && this.#doubts[0].leftMs <= 0) this.#doubts.shift();
      this.#deafSince = this.#doubts[0]?.since;
    } else {
      this.#deafSince ??= this.#doubts[0]?.since ?? now;
      // What was lost is known. It hears again only once it has asked what it missed.
      this.#doubts.length = 0;
    }
  }

  /**
   * Waits for a position, and asks the store meanwhile whether it has it at all: one that lost its last changes, or
   * was replaced by an older copy, never will, and must not be waited for by everybody for ever.
   */
  #getsThere(wanted: Revision): Promise<boolean> {
    const { state, lagWaitMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void state.reached(wanted, lagWaitMs).then(resolve);
    this.#isPastTheEnd(wanted).then(
      (past) => past && resolve(true),
      // A store that cannot be asked leaves it to the waiting.
      () => undefined,
    );
    return promise;
  }

  async #isPastTheEnd(wanted: Revision): Promise<boolean> {
    const { state, store } = this.#options;
    const end = await store.end();
    return isBefore(end, wanted) && state.has(end) && state.position.epoch === end.epoch;
  }

  #refuseStale(): void {
    this.notice();
    const { clock, staleAnswersMs } = this.#options;
    if (this.#deafSince !== undefined && clock() - this.#deafSince > staleAnswersMs) {
      throw new CatalogError('unavailable', 'this replica has not heard of changes for too long');
    }
  }
}
