import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { DeadlineQueue, TurnBatcher } from '@sluice/service';
import { HeldQueues } from './held-queues.ts';
import {
  DeadlineMissedError,
  MAX_COSTS_PER_CALL,
  NotExecutedError,
  type LimitStore,
  type StoreCall,
  type Verdict,
} from './limit-store.ts';
import { newestLimits } from './newest-limits.ts';

export interface AdmissionQueueOptions {
  readonly store: LimitStore;
  /** How long an admission may take, including its time in the queue. */
  readonly deadlineMs: number;
  /** Maximum number of admissions that are queued or being decided. Further ones are rejected. */
  readonly capacity?: number;
  /** How many queues are kept before those of idle organizations are removed. */
  readonly keptQueues?: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** Called for each call to the store that was answered in time. */
  readonly onAnswered: (organization: string) => void;
  /** Called for each call to the store that failed or was not answered in time. */
  readonly onFailed: (organization: string, reason: unknown) => void;
}

/** The gRPC stream that an admission came from. */
export interface Caller {
  /** Whether the stream is closed, so that no answer can be delivered. */
  readonly gone: boolean;
}

const UNAVAILABLE: AdmissionDecision = { outcome: 'unavailable' };
const DEFAULT_CAPACITY = 65_536;
const DEFAULT_KEPT_QUEUES = 16_384;

interface Waiting {
  readonly request: AdmissionRequest;
  readonly since: number;
  readonly caller: Caller | undefined;
  readonly resolve: (decision: AdmissionDecision) => void;
}

interface OrganizationQueue {
  readonly organization: string;
  readonly waiting: Waiting[];
  /** Whether a call to the store is in flight for this organization, or about to be sent. */
  busy: boolean;
  /** Set if the last call was not executed. Its admissions are back in the queue. */
  notExecuted: NotExecutedError | undefined;
}

/**
 * Combines admissions into few calls to the store. Each organization has at most one call in flight, and admissions
 * that arrive in the meantime share the next call. Calls of different organizations that are ready in the same turn of
 * the event loop are sent together. No timer delays a call, so on an idle system an admission is sent at once.
 */
export class AdmissionQueue {
  readonly #options: AdmissionQueueOptions;
  readonly #capacity: number;
  /**
   * The queues of organizations. They stay here while they are idle: to add and delete a Map entry for each admission
   * would burden the garbage collector.
   */
  #organizations = new Map<string, OrganizationQueue>();
  readonly #keptQueues: number;
  /**
   * When there are this many queues, idle ones are removed. The limit grows beyond `#keptQueues` while most queues are
   * busy.
   */
  #maxQueues: number;
  readonly #deadlines: DeadlineQueue;
  readonly #held: HeldQueues<OrganizationQueue>;
  readonly #ready = new TurnBatcher<OrganizationQueue>((ready) => this.#send(ready));
  #unanswered = 0;
  readonly #decided = { admitted: 0, refused: 0, unavailable: 0 };

  constructor(options: AdmissionQueueOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#keptQueues = options.keptQueues ?? DEFAULT_KEPT_QUEUES;
    this.#maxQueues = this.#keptQueues;
    this.#deadlines = new DeadlineQueue({ limitMs: options.deadlineMs, clock: options.clock });
    this.#held = new HeldQueues(this.#deadlines, (queue) => this.#expireOldest(queue));
  }

  /** Admissions that wait for a decision. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Organizations that have a queue, idle ones included. */
  get organizations(): number {
    return this.#organizations.size;
  }

  /** Decisions since the start. Peeks are not counted. */
  get decided(): Readonly<Record<AdmissionDecision['outcome'], number>> {
    return this.#decided;
  }

  admit(request: AdmissionRequest, caller?: Caller): Promise<AdmissionDecision> {
    if (this.#unanswered >= this.#capacity) return Promise.resolve(this.reject(request));
    this.#unanswered += 1;
    return new Promise((resolve) => {
      const queue =
        this.#organizations.get(request.organization) ?? this.#add(request.organization);
      queue.waiting.push({ request, since: this.#options.clock(), caller, resolve });
      if (!queue.busy) this.#schedule(queue);
    });
  }

  /** Answers `unavailable` without asking the store. */
  reject(request: AdmissionRequest): AdmissionDecision {
    this.#count(request, UNAVAILABLE);
    return UNAVAILABLE;
  }

  /** Sends the admissions that were held while there was no connection. */
  resume(): void {
    for (const queue of this.#held.release()) this.#schedule(queue);
  }

  /** An admission that costs neither requests nor tokens is a peek, which is not counted. */
  #count({ requests, tokens }: AdmissionRequest, { outcome }: AdmissionDecision): void {
    if (requests + tokens > 0) this.#decided[outcome] += 1;
  }

  #add(organization: string): OrganizationQueue {
    if (this.#organizations.size >= this.#maxQueues) this.#removeIdle();
    const queue = { organization, waiting: [], busy: false, notExecuted: undefined };
    this.#organizations.set(organization, queue);
    return queue;
  }

  #removeIdle(): void {
    this.#organizations = new Map([...this.#organizations].filter(([, { busy }]) => busy));
    // If most queues are busy, the limit grows. Otherwise each new organization would cause another scan.
    this.#maxQueues = Math.max(this.#keptQueues, 2 * this.#organizations.size);
  }

  #schedule(queue: OrganizationQueue): void {
    queue.busy = true;
    this.#ready.add(queue);
  }

  #send(ready: readonly OrganizationQueue[]): void {
    if (!this.#options.store.canSend) {
      for (const queue of ready) this.#hold(queue);
      return;
    }
    const sending: { queue: OrganizationQueue; batch: Waiting[] }[] = [];
    for (const queue of ready) {
      const batch = this.#takeBatch(queue);
      if (batch.length > 0) sending.push({ queue, batch });
      else this.#release(queue);
    }
    const calls = sending.map(({ batch }): StoreCall => ({
      ...newestLimits(batch.map(({ request }) => request)),
      costs: batch.map(({ request }) => request),
    }));
    const answers = this.#options.store.decide(calls);
    for (const [index, { queue, batch }] of sending.entries()) {
      this.#awaitAnswer(queue, batch, answers[index] ?? unanswered());
    }
  }

  /**
   * Removes the next batch from a queue. Expired admissions, and admissions of closed streams, are answered without
   * being sent, so they are not charged.
   */
  #takeBatch({ waiting }: OrganizationQueue): Waiting[] {
    const tooOld = this.#options.clock() - this.#options.deadlineMs;
    const batch: Waiting[] = [];
    while (batch.length < MAX_COSTS_PER_CALL && waiting.length > 0) {
      const unsent: Waiting[] = [];
      for (const entry of waiting.splice(0, MAX_COSTS_PER_CALL - batch.length)) {
        if (entry.since <= tooOld || entry.caller?.gone === true) unsent.push(entry);
        else batch.push(entry);
      }
      this.#answer(unsent, []);
    }
    return batch;
  }

  #awaitAnswer(
    queue: OrganizationQueue,
    batch: Waiting[],
    answer: Promise<readonly Verdict[]>,
  ): void {
    let isAnswered = false;
    const fail = (reason: unknown) => {
      if (isAnswered) return;
      isAnswered = true;
      const { canSend } = this.#options.store;
      if (reason instanceof NotExecutedError && !canSend) {
        // Nothing was charged, so the batch is sent again over the next connection.
        queue.notExecuted = reason;
        queue.waiting.unshift(...batch);
      } else {
        this.#options.onFailed(queue.organization, reason);
        this.#answer(batch, []);
      }
      // The store is connected but does not answer. If the waiting admissions were sent now, they could be charged
      // although their callers get no decision in time.
      if (canSend) this.#answer(queue.waiting.splice(0), []);
      this.#release(queue);
    };
    // The first admission of a batch is the oldest.
    const since = batch[0]?.since ?? this.#options.clock();
    const deadline = this.#deadlines.start(since, () => fail(new DeadlineMissedError('no answer')));
    answer.then(
      (verdicts) => {
        this.#deadlines.stop(deadline);
        if (isAnswered) return;
        isAnswered = true;
        queue.notExecuted = undefined;
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

  /** Holds admissions until there is a connection. After a failover, that usually takes only milliseconds. */
  #hold(queue: OrganizationQueue): void {
    const [oldest] = queue.waiting;
    if (oldest === undefined) this.#release(queue);
    else this.#held.hold(queue, oldest.since);
  }

  /** Answers the admissions whose deadline has passed. Later ones may still be sent. */
  #expireOldest(queue: OrganizationQueue): void {
    const tooOld = this.#options.clock() - this.#options.deadlineMs;
    const late = queue.waiting.filter(({ since }) => since <= tooOld);
    if (late.length === 0) {
      // Some admissions may not have expired yet, because the timer can fire a fraction of a millisecond early.
      this.#hold(queue);
      return;
    }
    const reason = queue.notExecuted ?? new NotExecutedError('no connection');
    this.#options.onFailed(queue.organization, reason);
    this.#answer(queue.waiting.splice(0, late.length), []);
    this.#release(queue);
  }

  #release(queue: OrganizationQueue): void {
    if (queue.waiting.length > 0) this.#schedule(queue);
    else queue.busy = false;
  }
}

/**
 * Used if the store returned too few answers. It rejects, so that the admissions are answered and the organization does
 * not stay busy.
 */
function unanswered(): Promise<never> {
  return Promise.reject(new RangeError('the store returned no answer for a call'));
}
