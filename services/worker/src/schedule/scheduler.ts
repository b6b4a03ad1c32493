import type { Logger } from '@sluice/telemetry';
import { AttemptFailure } from './attempt-failure.ts';
import type { AttemptOutcome, RunAttempt } from './attempt-outcome.ts';
import type { Attempt } from './attempt.ts';
import { FairQueue } from './fair-queue.ts';
import { ServiceTime } from './service-time.ts';
import type { Slots } from './slots.ts';

export interface AttemptSchedulerOptions {
  readonly run: RunAttempt;
  readonly slots: Slots;
  readonly now: () => number;
  readonly logger: Logger;
  /** Called once for every attempt that got a slot, when that is free again and nobody has it yet. */
  readonly onEnd: (attempt: Attempt, outcome: AttemptOutcome) => void;
}

const MEBIBYTE = 1_024 * 1_024;
/** Of bodies that wait. A place in the queue says nothing of what it takes: one may have megabytes. */
const MOST_BYTES = 128 * MEBIBYTE;
const MOST_BYTES_OF_ONE = 64 * MEBIBYTE;
/** A body of up to this size takes none of that, so that nobody's large ones keep small ones away. */
const FREE_BYTES = 64 * 1_024;

function heldBytes({ bodyBytes }: Attempt): number {
  return bodyBytes > FREE_BYTES ? bodyBytes : 0;
}

/** Lets attempts wait, fairly between organizations, and run, as many at once as there are slots. */
export class AttemptScheduler {
  readonly #options: AttemptSchedulerOptions;
  readonly #queue = new FairQueue<Attempt>(heldBytes);
  readonly #slots: Slots;
  readonly #serviceTime: ServiceTime;
  readonly #idleWaiters: (() => void)[] = [];
  #generatedTokens = 0;

  constructor(options: AttemptSchedulerOptions) {
    this.#options = options;
    this.#slots = options.slots;
    this.#serviceTime = new ServiceTime(options.now);
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Organizations that are remembered: the active ones, those in debt to them, and for a while other idle ones. */
  get organizations(): number {
    return this.#queue.tenants;
  }

  /** How long an attempt holds its slot, lately. */
  get serviceMs(): number | null {
    return this.#serviceTime.meanMs;
  }

  /** Since the start. */
  get generatedTokens(): number {
    return this.#generatedTokens;
  }

  /** When a place is to be expected for one that comes now. */
  get expectedWaitMs(): number | undefined {
    return this.#serviceTime.expectedWaitMs(this.#queue.size, this.#slots.limit);
  }

  /** Whether there was a free slot for it. */
  startAtOnce(attempt: Attempt): boolean {
    if (!this.#slots.mayStart) return false;
    this.#queue.startAtOnce(attempt.header.organization);
    this.#start(attempt);
    return true;
  }

  /** Whether its body can wait here; that of a single large one always can. */
  hasRoomFor(attempt: Attempt): boolean {
    const bytes = heldBytes(attempt);
    const own = this.#queue.bytesFor(attempt.header.organization);
    if (bytes === 0 || this.#queue.bytes === 0) return true;
    return this.#queue.bytes + bytes <= MOST_BYTES && own + bytes <= MOST_BYTES_OF_ONE;
  }

  /** Takes an attempt out whose body has to leave so that there is room for this one, if any has to. */
  displaceBytesFor(attempt: Attempt): Attempt | undefined {
    return this.#queue.displaceBytesFor(attempt.header.organization, heldBytes(attempt));
  }

  enqueue(attempt: Attempt): void {
    this.#queue.enqueue(attempt.header.organization, attempt);
  }

  /** Takes the attempt out that has to leave a full queue so that the organization has a place, if any has to. */
  displaceFor(organization: string): Attempt | undefined {
    return this.#queue.displaceFor(organization);
  }

  /** It waits no longer. */
  dequeue(attempt: Attempt): void {
    this.#queue.remove(attempt.header.organization, attempt);
  }

  /** Gives free slots to those who wait: slots may have been added. */
  fillSlots(): void {
    while (this.#slots.mayStart) {
      const attempt = this.#queue.next();
      if (attempt === undefined) return;
      this.#start(attempt);
    }
  }

  /** Resolves once nothing is running. */
  whenIdle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#slots.running === 0) resolve();
    else this.#idleWaiters.push(resolve);
    return promise;
  }

  #start(attempt: Attempt): void {
    this.#slots.take();
    this.#serviceTime.started();
    const now = this.#options.now();
    attempt.state = 'running';
    attempt.startedAt = now;
    attempt.progress.lastSignAt = now;
    void this.#work(attempt, now);
  }

  async #work(attempt: Attempt, startedAt: number): Promise<void> {
    const { organization, estimated_input_tokens: estimated } = attempt.header;
    // Input is charged when a job gets its slot, before its count is known, and put right by the count: with what the
    // limits of its organization were charged. Spaces that cost nothing would raise the level at which others enter,
    // and be taken back from their sender alone.
    let charged = estimated;
    this.#queue.charge(organization, charged);
    const outcome = await this.#run(attempt, (tokens) => {
      charged += tokens;
      attempt.generatedTokens += tokens;
      this.#generatedTokens += tokens;
      this.#queue.charge(organization, tokens);
    });
    // One owner releases, here, whatever happened.
    if (outcome.kind === 'finished') {
      const { input_tokens: input, output_tokens: output } = outcome.usage;
      this.#queue.charge(organization, input + output - charged);
    }
    this.#slots.release();
    this.#serviceTime.observe(this.#options.now() - startedAt);
    this.#queue.end(organization);
    this.#options.onEnd(attempt, outcome);
    if (this.#slots.running === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Never rejects, whatever the runner does: a slot is to be given back. */
  async #run(attempt: Attempt, charge: (tokens: number) => void): Promise<AttemptOutcome> {
    try {
      return await this.#options.run(attempt, charge);
    } catch (error) {
      const { request } = attempt.header;
      this.#options.logger.error({ err: error, request }, 'an attempt broke');
      return { kind: 'failed', failure: AttemptFailure.unavailable(error) };
    }
  }
}
