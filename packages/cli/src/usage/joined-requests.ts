import type { LedgerRecord } from '@sluice/contracts';
import { HeldRequest, type JoinedRequest } from './held-request.ts';

/**
 * A record is sent again for ten minutes at most: so long after it was stored no double of it comes any more,
 * even where the clocks of NATS servers differ by a minute.
 */
const DOUBLES_WITHIN_MS = 12 * 60_000;
/**
 * A worker that was frozen records its attempt when it wakes, hours later. For as long as that is waited for, all are
 * held of which a record was lost: by workers that were killed, and by gateways that did not say what was refused.
 */
const LATE_WITHIN_MS = 24 * 3_600_000;
/** Finding the first of a map costs as much as was removed before it, so it is not looked for at each record. */
const SWEEP_EVERY_MS = 60_000;

export interface RequestJoinOptions {
  /** Requests received before are left out. */
  readonly sinceMs: number;
  /** Told of each request once. */
  readonly onRequest: (request: JoinedRequest) => void;
}

/**
 * Joins the records of requests and of their attempts, each id once. They come in the order of their storing,
 * so that what is complete is handed on and forgotten while the rest is read.
 */
export class RequestJoin {
  readonly #options: RequestJoinOptions;
  /** Doubles of their records may come. Those whose last record is the oldest are first. */
  readonly #recent = new Map<string, HeldRequest>();
  /** No doubles come any more, but a record that is missing may. Ordered likewise. */
  readonly #incomplete = new Map<string, HeldRequest>();
  #nextSweepMs = 0;

  constructor(options: RequestJoinOptions) {
    this.#options = options;
  }

  /** Requests that are held until more is known of them. */
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

  /** Hands on the rest, and counts the requests with attempts whose own record may still come. */
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

  /** Of those without a record after that. */
  #handOnUntil(moment: number): void {
    for (const [id, request] of this.#recent) {
      if (request.storedAtMs > moment) return;
      this.#recent.delete(id);
      if (request.isComplete) this.#handOn(request);
      else this.#incomplete.set(id, request);
    }
  }

  /** What is missing of those without a record after that is lost. */
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
