import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { DeadlineQueue, TurnBatcher } from '@sluice/timing';
import { HeldQueues } from './held-queues.ts';
import {
  DeadlineMissedError,
  MOST_COSTS,
  NothingRanError,
  type Ledger,
  type LedgerCall,
  type Verdict,
} from './ledger.ts';
import { newestLimits } from './newest-limits.ts';

export interface AdmissionQueueOptions {
  readonly ledger: Ledger;
  /** How long an admission may wait in all, for its turn and for the store. */
  readonly deadlineMs: number;
  /** Admissions that wait or are being decided; more are turned away. */
  readonly capacity?: number;
  /** Organizations that are remembered before those without a call are forgotten. */
  readonly keptQueues?: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called for each call that the store answered in time. */
  readonly onAnswered: (organization: string) => void;
  /** Called for each that it did not, with the reason. */
  readonly onFailed: (organization: string, reason: unknown) => void;
}

/** Whoever asked, and may have left since. */
export interface Caller {
  readonly gone: boolean;
}

const UNAVAILABLE: AdmissionDecision = { outcome: 'unavailable' };
const DEFAULT_CAPACITY = 65_536;
/** Queues of organizations that are kept in case they come again; when there are more, the idle are forgotten. */
const KEPT_QUEUES = 16_384;

interface Waiting {
  readonly request: AdmissionRequest;
  readonly since: number;
  readonly caller: Caller | undefined;
  readonly resolve: (decision: AdmissionDecision) => void;
}

interface OrganizationQueue {
  readonly organization: string;
  readonly waiting: Waiting[];
  /** Whether a call of the store is in flight for it, or about to be. */
  busy: boolean;
  /** Why the store ran nothing of its last call, if it said so. */
  notRun: NothingRanError | undefined;
}

/**
 * Coalesces admissions: an organization has one call of the store in flight, and what arrives meanwhile
 * goes together in its next. Across organizations, what is ready in one turn of the event loop leaves
 * together. No timer delays anything, so an idle path waits for nothing.
 */
export class AdmissionQueue {
  readonly #options: AdmissionQueueOptions;
  readonly #capacity: number;
  /** Not only of those that wait: what comes to a Map and goes again is a burden to garbage collections. */
  #organizations = new Map<string, OrganizationQueue>();
  readonly #keptQueues: number;
  /** With so many the idle are looked for: as many as are kept, unless most of them were busy the last time. */
  #mostQueues: number;
  readonly #deadlines: DeadlineQueue;
  readonly #held: HeldQueues<OrganizationQueue>;
  readonly #ready = new TurnBatcher<OrganizationQueue>((ready) => this.#send(ready));
  #unanswered = 0;
  readonly #decided = { admitted: 0, refused: 0, unavailable: 0 };

  constructor(options: AdmissionQueueOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#keptQueues = options.keptQueues ?? KEPT_QUEUES;
    this.#mostQueues = this.#keptQueues;
    this.#deadlines = new DeadlineQueue({ limitMs: options.deadlineMs, now: options.now });
    this.#held = new HeldQueues(this.#deadlines, (queue) => this.#giveUpOldest(queue));
  }

  /** Admissions that wait for a decision. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Organizations that it remembers, whether or not they wait for anything. */
  get organizations(): number {
    return this.#organizations.size;
  }

  /** Decisions about admissions since the start; a look at what is left is none. */
  get decided(): Readonly<Record<AdmissionDecision['outcome'], number>> {
    return this.#decided;
  }

  admit(request: AdmissionRequest, caller?: Caller): Promise<AdmissionDecision> {
    if (this.#unanswered >= this.#capacity) return Promise.resolve(this.turnAway(request));
    this.#unanswered += 1;
    return new Promise((resolve) => {
      const queue =
        this.#organizations.get(request.organization) ?? this.#add(request.organization);
      queue.waiting.push({ request, since: this.#options.now(), caller, resolve });
      if (!queue.busy) this.#schedule(queue);
    });
  }

  /** Answers without asking the store. */
  turnAway(request: AdmissionRequest): AdmissionDecision {
    this.#count(request, UNAVAILABLE);
    return UNAVAILABLE;
  }

  /** The store can be asked again: what was held for it leaves now. */
  resume(): void {
    for (const queue of this.#held.release()) this.#schedule(queue);
  }

  /** Gateways charge a request with each admission: what costs neither requests nor tokens only looks. */
  #count({ requests, tokens }: AdmissionRequest, { outcome }: AdmissionDecision): void {
    if (requests + tokens > 0) this.#decided[outcome] += 1;
  }

  #add(organization: string): OrganizationQueue {
    if (this.#organizations.size >= this.#mostQueues) this.#forgetIdle();
    const queue = { organization, waiting: [], busy: false, notRun: undefined };
    this.#organizations.set(organization, queue);
    return queue;
  }

  #forgetIdle(): void {
    this.#organizations = new Map([...this.#organizations].filter(([, { busy }]) => busy));
    // Where most are busy, looking for idle ones again and again would be all that is done.
    this.#mostQueues = Math.max(this.#keptQueues, 2 * this.#organizations.size);
  }

  #schedule(queue: OrganizationQueue): void {
    queue.busy = true;
    this.#ready.add(queue);
  }

  #send(ready: readonly OrganizationQueue[]): void {
    if (!this.#options.ledger.canSend) {
      for (const queue of ready) this.#hold(queue);
      return;
    }
    const sending: { queue: OrganizationQueue; batch: Waiting[] }[] = [];
    for (const queue of ready) {
      const batch = this.#take(queue);
      if (batch.length > 0) sending.push({ queue, batch });
      else this.#release(queue);
    }
    const calls = sending.map(({ batch }): LedgerCall => ({
      ...newestLimits(batch.map(({ request }) => request)),
      costs: batch.map(({ request }) => request),
    }));
    const answers = this.#options.ledger.decide(calls);
    for (const [index, { queue, batch }] of sending.entries()) {
      this.#await(queue, batch, answers[index] ?? unanswered());
    }
  }

  /** The next of a queue. What nobody waits for any longer is answered unsent, and so not charged. */
  #take({ waiting }: OrganizationQueue): Waiting[] {
    const tooOld = this.#options.now() - this.#options.deadlineMs;
    const batch: Waiting[] = [];
    while (batch.length < MOST_COSTS && waiting.length > 0) {
      const unsent: Waiting[] = [];
      for (const entry of waiting.splice(0, MOST_COSTS - batch.length)) {
        if (entry.since <= tooOld || entry.caller?.gone === true) unsent.push(entry);
        else batch.push(entry);
      }
      this.#answer(unsent, []);
    }
    return batch;
  }

  #await(queue: OrganizationQueue, batch: Waiting[], answer: Promise<readonly Verdict[]>): void {
    let over = false;
    const fail = (reason: unknown) => {
      if (over) return;
      over = true;
      const { canSend } = this.#options.ledger;
      if (reason instanceof NothingRanError && !canSend) {
        queue.notRun = reason;
        queue.waiting.unshift(...batch);
      } else {
        this.#options.onFailed(queue.organization, reason);
        this.#answer(batch, []);
      }
      // They waited behind a store that is silent. Sent now, they would be charged and not answered.
      if (canSend) this.#answer(queue.waiting.splice(0), []);
      this.#release(queue);
    };
    // The first of a batch has waited longest.
    const since = batch[0]?.since ?? this.#options.now();
    const deadline = this.#deadlines.start(since, () => fail(new DeadlineMissedError('no answer')));
    answer.then(
      (verdicts) => {
        this.#deadlines.stop(deadline);
        if (over) return;
        over = true;
        queue.notRun = undefined;
        this.#options.onAnswered(queue.organization);
        this.#answer(batch, verdicts);
        this.#release(queue);
      },
      (reason: unknown) => {
        this.#deadlines.stop(deadline);
        fail(reason);
      },
    );
  }

  #answer(batch: readonly Waiting[], verdicts: readonly Verdict[]): void {
    this.#unanswered -= batch.length;
    for (const [index, { request, resolve }] of batch.entries()) {
      const decision = verdicts[index] ?? UNAVAILABLE;
      this.#count(request, decision);
      resolve(decision);
    }
  }

  /** Unsent, they lose nothing but time: a master that was replaced is followed within milliseconds. */
  #hold(queue: OrganizationQueue): void {
    const [oldest] = queue.waiting;
    if (oldest === undefined) this.#release(queue);
    else this.#held.hold(queue, oldest.since);
  }

  /** The store did not come back in time for the oldest; for the others it still may. */
  #giveUpOldest(queue: OrganizationQueue): void {
    const tooOld = this.#options.now() - this.#options.deadlineMs;
    const late = queue.waiting.filter(({ since }) => since <= tooOld);
    if (late.length === 0) {
      // Rounding can end the deadline a fraction early.
      this.#hold(queue);
      return;
    }
    const reason = queue.notRun ?? new NothingRanError('no connection');
    this.#options.onFailed(queue.organization, reason);
    this.#answer(queue.waiting.splice(0, late.length), []);
    this.#release(queue);
  }

  #release(queue: OrganizationQueue): void {
    if (queue.waiting.length > 0) this.#schedule(queue);
    else queue.busy = false;
  }
}

/** An organization whose call was forgotten would stay busy, and whoever waits for it would wait for ever. */
function unanswered(): Promise<never> {
  return Promise.reject(new RangeError('the ledger has no answer for a call'));
}
