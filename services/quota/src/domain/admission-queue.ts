import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { CallDeadlines } from './call-deadlines.ts';
import type { Ledger, LedgerCall, Verdict } from './ledger.ts';
import { newestLimits } from './newest-limits.ts';

export interface AdmissionQueueOptions {
  readonly ledger: Ledger;
  /** How long the store may take to answer a call. */
  readonly deadlineMs: number;
  /** Admissions that wait or are being decided; more are turned away. */
  readonly capacity?: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called for each call of the store that was answered in time, and each that was not. */
  readonly onOutcome: (answered: boolean) => void;
}

const UNAVAILABLE: AdmissionDecision = { outcome: 'unavailable' };
const DEFAULT_CAPACITY = 65_536;
/** So many in one script call keep the store busy for about a millisecond. */
const LARGEST_BATCH = 256;

interface Waiting {
  readonly request: AdmissionRequest;
  readonly resolve: (decision: AdmissionDecision) => void;
}

interface OrganizationQueue {
  readonly organization: string;
  readonly waiting: Waiting[];
}

/**
 * Coalesces admissions: an organization has one call of the store in flight, and what arrives meanwhile
 * goes together in its next. Across organizations, what is ready in one turn of the event loop leaves
 * together. No timer delays anything, so an idle path waits for nothing.
 */
export class AdmissionQueue {
  readonly #options: AdmissionQueueOptions;
  readonly #capacity: number;
  readonly #organizations = new Map<string, OrganizationQueue>();
  readonly #deadlines: CallDeadlines;
  #ready: OrganizationQueue[] = [];
  #unanswered = 0;

  constructor(options: AdmissionQueueOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#deadlines = new CallDeadlines(options.deadlineMs, options.now);
  }

  /** Admissions that wait for a decision. */
  get unanswered(): number {
    return this.#unanswered;
  }

  admit(request: AdmissionRequest): Promise<AdmissionDecision> {
    if (this.#unanswered >= this.#capacity) return Promise.resolve(UNAVAILABLE);
    this.#unanswered += 1;
    return new Promise((resolve) => {
      const waiting = { request, resolve };
      const queue = this.#organizations.get(request.organization);
      if (queue !== undefined) {
        queue.waiting.push(waiting);
        return;
      }
      const { organization } = request;
      const added = { organization, waiting: [waiting] };
      this.#organizations.set(organization, added);
      this.#schedule(added);
    });
  }

  #schedule(queue: OrganizationQueue): void {
    if (this.#ready.length === 0) setImmediate(() => this.#flush());
    this.#ready.push(queue);
  }

  #flush(): void {
    const ready = this.#ready;
    this.#ready = [];
    const batches = ready.map((queue) => queue.waiting.splice(0, LARGEST_BATCH));
    const calls = batches.map((batch): LedgerCall => ({
      ...newestLimits(batch.map(({ request }) => request)),
      costs: batch.map(({ request }) => request),
    }));
    const answers = this.#options.ledger.decide(calls);
    for (const [index, queue] of ready.entries()) {
      const batch = batches[index];
      const answer = answers[index];
      if (batch !== undefined && answer !== undefined) this.#await(queue, batch, answer);
    }
  }

  #await(queue: OrganizationQueue, batch: Waiting[], answer: Promise<readonly Verdict[]>): void {
    let over = false;
    const fail = () => {
      if (over) return;
      over = true;
      this.#options.onOutcome(false);
      this.#answer(batch, []);
      // They waited behind a store that is silent. Sent now, they would be charged and not answered.
      this.#answer(queue.waiting.splice(0), []);
      this.#release(queue);
    };
    const deadline = this.#deadlines.start(fail);
    answer.then(
      (verdicts) => {
        this.#deadlines.stop(deadline);
        if (over) return;
        over = true;
        this.#options.onOutcome(true);
        this.#answer(batch, verdicts);
        this.#release(queue);
      },
      () => {
        this.#deadlines.stop(deadline);
        fail();
      },
    );
  }

  #answer(batch: readonly Waiting[], verdicts: readonly Verdict[]): void {
    this.#unanswered -= batch.length;
    for (const [index, { resolve }] of batch.entries()) resolve(verdicts[index] ?? UNAVAILABLE);
  }

  #release(queue: OrganizationQueue): void {
    if (queue.waiting.length > 0) this.#schedule(queue);
    else this.#organizations.delete(queue.organization);
  }
}
