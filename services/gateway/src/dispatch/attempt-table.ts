import type { Bus, BusMessage, BusSubscription } from '@sluice/bus';
import {
  GATEWAY_INQUIRY,
  MalformedFrameError,
  attemptOfSubject,
  readFrames,
  type Subjects,
} from '@sluice/contracts';
import { checkRegularly } from '@sluice/timing';
import { mayStillRun } from '../domain/attempt-end.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { Cancellations } from './cancellations.ts';
import { OpenAttempts } from './open-attempts.ts';

export interface AttemptTableOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly gateway: string;
  readonly cancellations: Cancellations;
  readonly clock: () => number;
}

const CHECK_INTERVAL_MS = 250;
const NOTHING = new Uint8Array(0);
/** How long a worker that still sends frames of an attempt that was left can be told to stop. */
const REMEMBER_LEFT_MS = 120_000;

interface LeftAttempt {
  readonly worker: string;
  readonly leftAt: number;
}

/** Every attempt of this gateway, behind one wildcard subscription. */
export class AttemptTable implements Disposable {
  readonly #cancellations: Cancellations;
  readonly #clock: () => number;
  readonly #open = new OpenAttempts();
  readonly #left = new Map<string, LeftAttempt>();
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
    this.#checking = checkRegularly(() => this.#checkTimes(), {
      everyMs: CHECK_INTERVAL_MS,
      clock,
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** Those that were left, kept in mind for a while. */
  get leftCount(): number {
    return this.#left.size;
  }

  /** Follows the attempt to its end; one that may still run then is cancelled at its worker. */
  follow(attempt: Attempt): void {
    this.#open.add(attempt, this.#clock());
    void attempt.ended.then((end) => {
      this.#open.delete(attempt.name);
      if (!mayStillRun(end)) return;
      this.#left.set(attempt.name, { worker: attempt.worker, leftAt: this.#clock() });
      this.#cancellations.cancel(attempt.worker, attempt.name);
    });
  }

  /** Those that have attempts. */
  workers(): ReadonlySet<string> {
    return this.#open.workers();
  }

  /** The worker is gone: what it had accepted will not go on, and what it had not never began. */
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
      const left = this.#left.get(name);
      if (left !== undefined) this.#cancellations.cancel(left.worker, name);
      else if (name === GATEWAY_INQUIRY) message.respond(NOTHING);
      return;
    }
    // A frame is never empty, so only an empty message is worth the look at its headers.
    if (message.data.length === 0) {
      if (message.noResponders) attempt.end({ kind: 'nobody_listens' });
      return;
    }
    try {
      readFrames(message.data, attempt.onFrame);
    } catch (error) {
      attempt.end({ kind: 'malformed' });
      // Anything else is a fault of this gateway's own, which the bus tells of.
      if (!(error instanceof MalformedFrameError)) throw error;
    }
  }

  #checkTimes(): void {
    const now = this.#clock();
    this.#open.checkTimes(now);
    for (const [name, { leftAt }] of this.#left) {
      // In the order of leaving.
      if (now - leftAt < REMEMBER_LEFT_MS) break;
      this.#left.delete(name);
    }
  }

  [Symbol.dispose](): void {
    this.#checking[Symbol.dispose]();
    this.#stopWatching();
    this.#subscription.unsubscribe();
    for (const attempt of this.#open) attempt.end({ kind: 'left' });
  }
}
