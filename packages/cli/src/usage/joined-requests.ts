import type { LedgerRecord } from '@sluice/contracts';
import { HeldRequest, type JoinedRequest } from './held-request.ts';

/**
 * A record is sent again for ten minutes at most. This long after it was stored, no duplicate can come, even if the
 * clocks of NATS servers differ by a minute.
 */
const DOUBLES_WITHIN_MS = 12 * 60_000;
/**
 * A worker that was frozen may record its attempt hours later. Requests with a missing record are held for this long,
 * including requests whose record is lost: the worker was killed, or the gateway did not report a refused offer.
 */
const LATE_WITHIN_MS = 24 * 3_600_000;
/**
 * How often held requests are checked. Iterating a Map skips every deleted entry at its start, so a check at each
 * record would be slow (https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.h).
 */
const SWEEP_EVERY_MS = 60_000;

export interface RequestJoinOptions {
  /** Requests received before this time are left out. */
  readonly sinceMs: number;
  /** Called once for each request. */
  readonly onRequest: (request: JoinedRequest) => void;
}

/**
 * Joins the records of requests with the records of their attempts. Duplicate records count once. Records arrive in the
 * order in which they were stored, so complete requests are handed on while the rest is read.
 */
export class RequestJoin {
  readonly #options: RequestJoinOptions;
  /** Requests that may still get duplicate records. Ordered by the time of their last record, oldest first. */
  readonly #recent = new Map<string, HeldRequest>();
  /** Requests with a missing record that get no more duplicates. In the same order. */
  readonly #incomplete = new Map<string, HeldRequest>();
  #nextSweepMs = 0;

  constructor(options: RequestJoinOptions) {
    this.#options = options;
  }

  /** The number of requests that are held. */
  get openCount(): number {
    return this.#recent.size + this.#incomplete.size;
  }

  add(record: LedgerRecord, storedAtMs: number): void {
    if (storedAtMs >= this.#nextSweepMs) {
      this.#giveUpUntil(storedAtMs - LATE_WITHIN_MS);
      this.#handOnUntil(storedAtMs - DOUBLES_WITHIN_MS);
      this.#nextSweepMs = storedAtMs + SWEEP_EVERY_MS;
    }
    const id = record.kind === 'request' ? record.id : record.request;
    const request = this.#take(id) ?? new HeldRequest(record);
    request.add(record, storedAtMs);
    this.#recent.set(id, request);
  }

  /** Hands on the remaining requests. Returns how many requests have attempts and may still get their own record. */
  finish(nowMs: number): { readonly underWay: number } {
    let underWay = 0;
    for (const requests of [this.#incomplete, this.#recent]) {
      for (const request of requests.values()) {
        if (!request.isUnderWay(nowMs)) this.#handOn(request);
        else if (this.#isAskedFor(request)) underWay += 1;
      }
      requests.clear();
    }
    return { underWay };
  }

  /** Hands on the complete requests whose last record is not after `moment`. Incomplete requests are kept longer. */
  #handOnUntil(moment: number): void {
    for (const [id, request] of this.#recent) {
      if (request.storedAtMs > moment) return;
      this.#recent.delete(id);
      if (request.isComplete) this.#handOn(request);
      else this.#incomplete.set(id, request);
    }
  }

  /** Hands on the incomplete requests whose last record is not after `moment`: the missing records are lost. */
  #giveUpUntil(moment: number): void {
    for (const [id, request] of this.#incomplete) {
      if (request.storedAtMs > moment) return;
      this.#incomplete.delete(id);
      this.#handOn(request);
    }
  }

  #take(id: string): HeldRequest | undefined {
    for (const requests of [this.#recent, this.#incomplete]) {
      const request = requests.get(id);
      if (request !== undefined) {
        requests.delete(id);
        return request;
      }
    }
    return undefined;
  }

  #handOn(request: HeldRequest): void {
    if (this.#isAskedFor(request)) this.#options.onRequest(request.join());
  }

  #isAskedFor({ receivedAtMs }: HeldRequest): boolean {
    return receivedAtMs >= this.#options.sinceMs;
  }
}
