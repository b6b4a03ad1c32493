import type { Logger } from '@sluice/service';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import type { AttemptOutcome, RunAttempt } from '../attempt/attempt-outcome.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { ClassQueue, type UsedClass } from './class-queue.ts';
import type { Slots } from './slots.ts';

export interface AttemptSchedulerOptions {
  readonly run: RunAttempt;
  readonly slots: Slots;
  /** How many percent of the tokens a scheduling class gets at least, even while jobs of higher classes wait. */
  readonly leastClassPercent: number;
  readonly clock: () => number;
  readonly logger: Logger;
  /**
   * Called once for every attempt that got a slot, when it has ended. Its slot is already released, and not yet given
   * to another attempt.
   */
  readonly onEnd: (attempt: Attempt, outcome: AttemptOutcome) => void;
}

const MEBIBYTE = 1_024 * 1_024;
/**
 * Limit for the bodies of all queued attempts together. The queue limit bounds only their number, and a body may have
 * megabytes.
 */
const MAX_BYTES = 128 * MEBIBYTE;
const MAX_BYTES_PER_ORGANIZATION = 64 * MEBIBYTE;
/** Bodies up to this size are not counted, so that large bodies never keep small ones out of the queue. */
const MAX_UNCOUNTED_BYTES = 64 * 1_024;

function countedBytes({ bodyBytes }: Attempt): number {
  return bodyBytes > MAX_UNCOUNTED_BYTES ? bodyBytes : 0;
}

/** Queues attempts by class and fairly between organizations, and runs as many at once as there are slots. */
export class AttemptScheduler {
  readonly #options: AttemptSchedulerOptions;
  readonly #queue: ClassQueue<Attempt>;
  readonly #slots: Slots;
  readonly #serviceTime: ServiceTime;
  readonly #idleWaiters: (() => void)[] = [];
  #generatedTokens = 0;

  constructor(options: AttemptSchedulerOptions) {
    this.#options = options;
    this.#slots = options.slots;
    this.#queue = new ClassQueue({
      ownerOf: ({ header }) => header,
      bytesOf: countedBytes,
      leastPercent: options.leastClassPercent,
    });
    this.#serviceTime = new ServiceTime(options.clock);
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Number of remembered organizations: active ones, idle ones in debt, and for a while other idle ones. */
  get organizations(): number {
    return this.#queue.tenants;
  }

  /** Mean time that recent attempts held their slot. Null until an attempt has ended. */
  get serviceMs(): number | null {
    return this.#serviceTime.meanMs;
  }

  /** Tokens generated since the start of the worker. */
  get generatedTokens(): number {
    return this.#generatedTokens;
  }

  /** The classes that were used since the start, the highest first. */
  get classes(): readonly UsedClass[] {
    return this.#queue.loads;
  }

  /** The organizations that run as many jobs as they may. */
  get organizationsAtBound(): string[] {
    return this.#queue.atTheirBound;
  }

  /** Estimated time until this attempt would get a slot if it were queued now. */
  expectedWaitMs(attempt: Attempt): number | undefined {
    const { limit } = this.#slots;
    const wait = this.#serviceTime.expectedWaitMs(this.#queue.aheadOf(attempt), limit);
    const { slots_per_worker: ownLimit } = attempt.header;
    if (wait === undefined || ownLimit === undefined || ownLimit >= limit) return wait;
    // The organization may not use all slots, so its own jobs may take longer than the whole queue.
    const own = this.#serviceTime.expectedWaitMs(this.#queue.ownSize(attempt), ownLimit) ?? 0;
    return Math.max(wait, own);
  }

  /** Starts the attempt if a slot is free that its organization may take. Returns whether it did. */
  startAtOnce(attempt: Attempt): boolean {
    if (!this.#slots.mayStart || !this.#queue.mayStartAtOnce(attempt)) return false;
    this.#queue.startAtOnce(attempt);
    this.#start(attempt);
    return true;
  }

  /** Whether the queue has room for the attempt's body. A body of any size fits while no large one is queued. */
  hasRoomFor(attempt: Attempt): boolean {
    const bytes = countedBytes(attempt);
    const own = this.#queue.bytesFor(attempt);
    if (bytes === 0 || this.#queue.bytes === 0) return true;
    return this.#queue.bytes + bytes <= MAX_BYTES && own + bytes <= MAX_BYTES_PER_ORGANIZATION;
  }

  /**
   * Makes room for the body of this attempt: removes and returns a queued attempt. Returns undefined if this attempt
   * has to be refused.
   */
  displaceBytesFor(attempt: Attempt): Attempt | undefined {
    return this.#queue.displaceBytesFor(attempt);
  }

  /**
   * Queues an attempt that could not start at once. Its header may raise the limit of slots of its organization, so
   * attempts may start now.
   */
  enqueue(attempt: Attempt): void {
    this.#queue.enqueue(attempt);
    this.fillSlots();
  }

  /**
   * Makes room for this attempt: removes and returns a queued attempt. Returns undefined if this attempt has to be
   * refused.
   */
  displaceFor(attempt: Attempt): Attempt | undefined {
    return this.#queue.displaceFor(attempt);
  }

  dequeue(attempt: Attempt): void {
    this.#queue.remove(attempt);
  }

  /** Starts queued attempts while slots are free. */
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
    const now = this.#options.clock();
    attempt.state = 'running';
    attempt.startedAt = now;
    attempt.progress.lastActivityAt = now;
    void this.#work(attempt, now);
  }

  async #work(attempt: Attempt, startedAt: number): Promise<void> {
    const { estimated_input_tokens: estimated } = attempt.header;
    // When the job gets its slot, the input is charged with the estimate of admission, and corrected when its tokens
    // are counted. An estimate from the size of the body would be too high for a body with many spaces. It would raise
    // the virtual time for organizations that become active before the correction.
    let charged = estimated;
    this.#queue.charge(attempt, charged);
    const chargeOutput = this.#queue.chargerFor(attempt);
    const outcome = await this.#run(attempt, (tokens) => {
      charged += tokens;
      attempt.generatedTokens += tokens;
      this.#generatedTokens += tokens;
      chargeOutput(tokens);
    });
    if (outcome.kind === 'finished') {
      const { input_tokens: input, output_tokens: output } = outcome.usage;
      this.#queue.charge(attempt, input + output - charged);
      charged = input + output;
    }
    this.#slots.release();
    this.#serviceTime.observe(this.#options.clock() - startedAt);
    this.#queue.end(attempt, charged);
    this.#options.onEnd(attempt, outcome);
    if (this.#slots.running === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Never rejects, so that the slot is always released. */
  async #run(attempt: Attempt, charge: (tokens: number) => void): Promise<AttemptOutcome> {
    try {
      return await this.#options.run(attempt, charge);
    } catch (error) {
      const { request } = attempt.header;
      this.#options.logger.error({ err: error, request }, 'an attempt failed unexpectedly');
      return { kind: 'failed', failure: AttemptFailure.unavailable(error) };
    }
  }
}

/** Weight of the newest job in the moving average, which covers about ten jobs. */
const NEWEST_WEIGHT = 0.2;

/** A moving average of the time that jobs hold a slot. */
class ServiceTime {
  readonly #clock: () => number;
  #mean: number | undefined;
  #firstStartedAt: number | undefined;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Null until a job has ended. */
  get meanMs(): number | null {
    return this.#mean ?? null;
  }

  started(): void {
    this.#firstStartedAt ??= this.#clock();
  }

  observe(milliseconds: number): void {
    const mean = this.#mean ?? milliseconds;
    this.#mean = mean + NEWEST_WEIGHT * (milliseconds - mean);
  }

  /** Estimated time until a slot is free for a job behind `queued` others. */
  expectedWaitMs(queued: number, slots: number): number | undefined {
    const meanMs = this.#mean ?? this.#ageOfFirst();
    if (meanMs === undefined || slots === 0) return undefined;
    return Math.ceil((meanMs * (queued + 1)) / slots);
  }

  /** How long the first job has been running. Until a job has ended, this is used instead of the mean. */
  #ageOfFirst(): number | undefined {
    return this.#firstStartedAt === undefined ? undefined : this.#clock() - this.#firstStartedAt;
  }
}
