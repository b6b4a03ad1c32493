import type { Bus, BusMessage, BusSubscription } from '@sluice/bus';
import {
  GATEWAY_INQUIRY,
  MalformedFrameError,
  attemptOfSubject,
  readFrames,
  type Subjects,
} from '@sluice/contracts';
import { everyInterval } from '@sluice/service';
import { mayStillRun } from './attempt-end.ts';
import type { Attempt } from './attempt.ts';
import type { Cancellations } from './cancellations.ts';

export interface AttemptTableOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly gateway: string;
  readonly cancellations: Cancellations;
  readonly clock: () => number;
}

const CHECK_INTERVAL_MS = 250;
const NOTHING = new Uint8Array(0);
/** For this long, a worker that still sends frames of an aborted attempt gets another cancel. */
const REMEMBER_ABORTED_MS = 120_000;

interface AbortedAttempt {
  readonly worker: string;
  readonly abortedAt: number;
}

/** Every attempt of this gateway. All of their frames arrive through one wildcard subscription. */
export class AttemptTable implements Disposable {
  readonly #cancellations: Cancellations;
  readonly #clock: () => number;
  readonly #open = new OpenAttempts();
  readonly #recentlyAborted = new Map<string, AbortedAttempt>();
  readonly #subscription: BusSubscription;
  readonly #stopWatching: () => void;
  readonly #checking: Disposable;

  constructor({ bus, subjects, gateway, cancellations, clock }: AttemptTableOptions) {
    this.#cancellations = cancellations;
    this.#clock = clock;
    this.#subscription = bus.subscribe(subjects.deltas(gateway), (message) =>
      this.#deliver(message),
    );
    this.#stopWatching = bus.onDisconnect(() => {
      for (const attempt of this.#open) attempt.end({ kind: 'disconnected' });
    });
    this.#checking = everyInterval(() => this.#checkTimes(), {
      everyMs: CHECK_INTERVAL_MS,
      clock,
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** Attempts that were aborted within the last two minutes. */
  get recentlyAbortedCount(): number {
    return this.#recentlyAborted.size;
  }

  /** Tracks the attempt to its end. If its worker may still be running it at that time, a cancel is sent. */
  follow(attempt: Attempt): void {
    this.#open.add(attempt, this.#clock());
    void attempt.ended.then((end) => {
      this.#open.delete(attempt.name);
      if (!mayStillRun(end)) return;
      this.#recentlyAborted.set(attempt.name, { worker: attempt.worker, abortedAt: this.#clock() });
      this.#cancellations.cancel(attempt.worker, attempt.name);
    });
  }

  /** Workers with open attempts. */
  workers(): ReadonlySet<string> {
    return this.#open.workers();
  }

  /** Ends the attempts of a worker that has ended. Jobs that it had not accepted can go to another one at once. */
  workerEnded(worker: string): void {
    for (const attempt of this.#open) {
      if (attempt.worker !== worker) continue;
      attempt.end({ kind: attempt.accepted ? 'silent' : 'nobody_listens' });
    }
  }

  #deliver(message: BusMessage): void {
    const name = attemptOfSubject(message.subject);
    const attempt = this.#open.get(name);
    if (attempt === undefined) {
      const aborted = this.#recentlyAborted.get(name);
      if (aborted !== undefined) this.#cancellations.cancel(aborted.worker, name);
      else if (name === GATEWAY_INQUIRY) message.respond(NOTHING);
      return;
    }
    // Only an empty message can be a status of the server, since frames are never empty. Reading headers costs time.
    if (message.data.length === 0) {
      if (message.noResponders) attempt.end({ kind: 'nobody_listens' });
      return;
    }
    try {
      readFrames(message.data, attempt.onFrame);
    } catch (error) {
      attempt.end({ kind: 'malformed' });
      // Any other error is a bug of this gateway. The bus logs it.
      if (!(error instanceof MalformedFrameError)) throw error;
    }
  }

  #checkTimes(): void {
    const now = this.#clock();
    this.#open.checkTimes(now);
    for (const [name, { abortedAt }] of this.#recentlyAborted) {
      // The map is in the order of the aborts.
      if (now - abortedAt < REMEMBER_ABORTED_MS) break;
      this.#recentlyAborted.delete(name);
    }
  }

  [Symbol.dispose](): void {
    this.#checking[Symbol.dispose]();
    this.#stopWatching();
    this.#subscription.unsubscribe();
    for (const attempt of this.#open) attempt.end({ kind: 'left' });
  }
}

/**
 * The open attempts by name.
 *
 * When a Map is rehashed, V8 links the old table to the new one, so that iterators can move on:
 * https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.h
 *
 * A replaced table in the old generation therefore keeps later tables, with their entries at that time, alive until the
 * next full collection. The values are small slots that are emptied, so that no finished request is kept alive.
 */
export class OpenAttempts {
  readonly #slots = new Map<string, { attempt: Attempt | undefined }>();
  /** The number of open attempts for each worker that has any. */
  readonly #counts = new Map<string, number>();
  /** No attempt can become silent or overdue before this time. */
  #nextCheckAt = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#slots.size;
  }

  /** Workers with open attempts. Counted on add and delete because this is read several times a second. */
  workers(): ReadonlySet<string> {
    return new Set(this.#counts.keys());
  }

  get(name: string): Attempt | undefined {
    return this.#slots.get(name)?.attempt;
  }

  /** `now` is a time of the attempt's clock. */
  add(attempt: Attempt, now: number): void {
    this.#slots.set(attempt.name, { attempt });
    this.#count(attempt.worker, 1);
    this.#nextCheckAt = Math.min(this.#nextCheckAt, attempt.nextCheckAt(now));
  }

  delete(name: string): void {
    const slot = this.#slots.get(name);
    if (slot?.attempt === undefined) return;
    this.#count(slot.attempt.worker, -1);
    slot.attempt = undefined;
    this.#slots.delete(name);
  }

  /**
   * Called at an interval. Ends attempts that are silent or overdue. With thousands of streams, a check of each attempt
   * costs as much CPU as relaying several events, so nothing is checked before the first attempt can be due.
   */
  checkTimes(now: number): void {
    if (now < this.#nextCheckAt) return;
    this.#nextCheckAt = Number.POSITIVE_INFINITY;
    for (const attempt of this) {
      attempt.checkTime(now);
      this.#nextCheckAt = Math.min(this.#nextCheckAt, attempt.nextCheckAt(now));
    }
  }

  *[Symbol.iterator](): Generator<Attempt> {
    for (const { attempt } of this.#slots.values()) {
      if (attempt !== undefined) yield attempt;
    }
  }

  #count(worker: string, change: 1 | -1): void {
    const count = (this.#counts.get(worker) ?? 0) + change;
    if (count === 0) this.#counts.delete(worker);
    else this.#counts.set(worker, count);
  }
}
