import {
  FrameKind,
  TICK_INTERVAL_MS,
  frame,
  jsonFrame,
  type AbandonReason,
  type RefusalReason,
  type WorkerLoad,
} from '@sluice/contracts';
import { count, type Logger } from '@sluice/telemetry';
import { failedFrame, refusedFrame } from './answer-frames.ts';
import { AttemptFailure } from './attempt-failure.ts';
import { endOf, type AttemptOutcome, type RunAttempt } from './attempt-outcome.ts';
import { Attempt, type AttemptDetails, type AttemptEnd } from './attempt.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { FairQueue } from './fair-queue.ts';
import { RecentCancels } from './recent-cancels.ts';
import { ServiceTime } from './service-time.ts';
import { Slots } from './slots.ts';
import { stalledStage, type Patience } from './stalled-stage.ts';

export interface JobDeskOptions extends Patience {
  readonly run: RunAttempt;
  readonly slots: () => number;
  readonly queueLimit: number;
  readonly now: () => number;
  readonly logger: Logger;
  /** Called once for every attempt that was accepted. */
  readonly onEnd: (attempt: Attempt, end: AttemptEnd) => void;
}

const TICK = frame(FrameKind.tick);

/** The worker's desk: it accepts or refuses jobs, queues them fairly, gives them slots, and lets none get lost. */
export class JobDesk {
  readonly #options: JobDeskOptions;
  readonly #attempts = new Map<string, Attempt>();
  readonly #queue = new FairQueue<Attempt>();
  readonly #cancels = new RecentCancels();
  readonly #slots: Slots;
  readonly #serviceTime = new ServiceTime();
  readonly #idleWaiters: (() => void)[] = [];
  #draining = false;
  #generatedTokens = 0;

  constructor(options: JobDeskOptions) {
    this.#options = options;
    this.#slots = new Slots(options.slots);
  }

  get load(): WorkerLoad {
    return {
      slots: this.#slots.limit,
      running: this.#slots.running,
      queued: this.#queue.size,
      queue_limit: this.#options.queueLimit,
    };
  }

  get serviceMs(): number | null {
    return this.#serviceTime.meanMs;
  }

  /** Since the start. */
  get generatedTokens(): number {
    return this.#generatedTokens;
  }

  /** The most that ran at once since this was last asked. */
  takeRunningPeak(): number {
    return this.#slots.takePeak();
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Everything it holds; all zero when nothing is under way. */
  get holdings(): Readonly<Record<'attempts' | 'running' | 'queued' | 'organizations', number>> {
    return {
      attempts: this.#attempts.size,
      running: this.#slots.running,
      queued: this.#queue.size,
      organizations: this.#queue.tenants,
    };
  }

  /** What it keeps in mind for a minute, for jobs that may come late. */
  get remembered(): Readonly<Record<'cancels', number>> {
    return { cancels: this.#cancels.size };
  }

  /** Accepts or refuses at once, on the job's own channel. */
  take(details: AttemptDetails): void {
    const attempt = new Attempt(details);
    const { organization } = attempt.header;
    if (this.#draining) {
      this.#refuse(attempt, 'draining');
      return;
    }
    if (this.#cancels.has(attempt.name, this.#options.now())) {
      this.#refuse(attempt, 'cancelled');
      return;
    }
    // The same attempt twice would share a name, and with it frames and cancels.
    if (this.#attempts.has(attempt.name)) {
      this.#refuse(attempt, 'malformed');
      return;
    }

    if (this.#slots.hasFree) {
      this.#queue.startAtOnce(organization);
      // First, so that the load it is told includes itself; nothing is sent for it before the next microtask.
      this.#start(attempt);
      this.#accept(attempt);
      return;
    }
    if (this.#queue.size >= this.#options.queueLimit) {
      const displaced = this.#queue.displaceFor(organization);
      if (displaced === undefined) {
        this.#refuse(attempt, 'full');
        return;
      }
      this.#handBack(displaced, 'full');
    }
    this.#queue.enqueue(organization, attempt);
    this.#accept(attempt);
  }

  #refuse(attempt: Attempt, reason: RefusalReason): void {
    count('sluice.worker.jobs', { answer: 'refused', reason });
    this.#giveBack(attempt, reason);
  }

  #giveBack(attempt: Attempt, reason: RefusalReason): void {
    attempt.channel.send(refusedFrame(reason, this.load, this.#retryAfter()));
  }

  /** Stops an attempt at whatever stage it is; remembers it in case the job is still on its way. */
  cancel(name: string): void {
    this.#cancels.remember(name, this.#options.now());
    const attempt = this.#attempts.get(name);
    if (attempt !== undefined) {
      // Who cancels has heard everything until now.
      attempt.heardTokens = attempt.generatedTokens;
      this.#abandon(attempt, 'cancelled');
    }
  }

  /** Nobody can hear of these attempts any more. */
  abandonWhere(reason: AbandonReason, lost: (attempt: Attempt) => boolean): readonly Attempt[] {
    const abandoned = [...this.#attempts.values()].filter(lost);
    for (const attempt of abandoned) this.#abandon(attempt, reason);
    return abandoned;
  }

  /** Its channel is broken: nothing can be sent for it. */
  abandon(name: string): void {
    const attempt = this.#attempts.get(name);
    if (attempt !== undefined) this.#abandon(attempt, 'channel_broken');
  }

  /** The gateway lives: what came until now came for somebody. */
  heard(gateway: string): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.header.gateway === gateway) attempt.heardTokens = attempt.generatedTokens;
    }
  }

  /** Refuses what comes, hands the queue back, and lets the running attempts finish. */
  startDraining(): void {
    this.#draining = true;
    this.handBackQueue('draining');
  }

  /** What waits here would wait for nothing: its gateways may find somebody else. */
  handBackQueue(reason: RefusalReason): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.state === 'queued') {
        this.#queue.remove(attempt.header.organization, attempt);
        this.#handBack(attempt, reason);
      }
    }
  }

  /** Resolves once nothing is running. */
  whenIdle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#slots.running === 0) resolve();
    else this.#idleWaiters.push(resolve);
    return promise;
  }

  /** The time for finishing is over. */
  failRest(): void {
    for (const attempt of this.#attempts.values()) attempt.stop(AttemptFailure.unavailable());
  }

  /** Gives free slots to waiting jobs: slots may have been added. */
  fillSlots(): void {
    while (this.#slots.hasFree) {
      const attempt = this.#queue.next();
      if (attempt === undefined) return;
      this.#start(attempt);
    }
  }

  /** To be called several times a second: ticks, deadlines, stalls. */
  sweep(): void {
    const now = this.#options.now();
    this.#cancels.sweep(now);
    for (const attempt of this.#attempts.values()) {
      const failure = this.#overdue(attempt, now) ?? this.#stalled(attempt, now);
      if (failure !== undefined) this.#failNow(attempt, failure);
      else if (now - attempt.channel.lastSentAt >= TICK_INTERVAL_MS) attempt.channel.send(TICK);
    }
  }

  #overdue(attempt: Attempt, now: number): AttemptFailure | undefined {
    const { header, arrivedAt, state } = attempt;
    if (now - arrivedAt >= header.run_ms) {
      return new AttemptFailure('deadline_exceeded', { retryable: false });
    }
    if (state !== 'queued' || now - arrivedAt < header.queue_ms) return undefined;
    const retryAfterMs = this.#retryAfter();
    return new AttemptFailure('queue_timeout', { retryable: false, retryAfterMs });
  }

  #stalled(attempt: Attempt, now: number): AttemptFailure | undefined {
    const stage = stalledStage(attempt, now, this.#options);
    if (stage === undefined) return undefined;
    count('sluice.worker.stalls', { stage, model: attempt.header.model });
    return AttemptFailure.unavailable();
  }

  #accept(attempt: Attempt): void {
    count('sluice.worker.jobs', { answer: 'accepted', reason: 'none' });
    this.#attempts.set(attempt.name, attempt);
    // Made when it leaves: an older load that came after a newer one would be believed.
    const accepted = () => jsonFrame(FrameKind.accepted, { load: this.load });
    // A running attempt will have more to say, perhaps at once; of a queued one nothing else may come for long.
    if (attempt.state === 'running') attempt.channel.sendSoon(accepted);
    else attempt.channel.send(accepted());
  }

  #start(attempt: Attempt): void {
    this.#slots.take();
    const now = this.#options.now();
    attempt.state = 'running';
    attempt.startedAt = now;
    attempt.progress.lastSignAt = now;
    void this.#work(attempt, now);
  }

  async #work(attempt: Attempt, startedAt: number): Promise<void> {
    const { organization } = attempt.header;
    // Input is charged when a job gets its slot, before its count is known.
    let charged = estimateTokens(attempt.body.byteLength);
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
    this.#forget(attempt, endOf(outcome));
    this.fillSlots();
    this.#report(attempt, outcome);
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

  #report(attempt: Attempt, outcome: AttemptOutcome): void {
    if (outcome.kind === 'finished') {
      const finished = { finish_reason: outcome.finishReason, load: this.load };
      attempt.channel.send(...outcome.frames, jsonFrame(FrameKind.finished, finished));
    } else if (outcome.kind === 'failed') attempt.channel.send(failedFrame(outcome.failure));
  }

  #failNow(attempt: Attempt, failure: AttemptFailure): void {
    if (attempt.state === 'running') attempt.stop(failure);
    else {
      this.#queue.remove(attempt.header.organization, attempt);
      this.#forget(attempt, { kind: 'failed', reason: failure.reason });
      attempt.channel.send(failedFrame(failure));
    }
  }

  #abandon(attempt: Attempt, reason: AbandonReason): void {
    const queued = attempt.state === 'queued';
    attempt.stop(reason);
    if (!queued) return;
    this.#queue.remove(attempt.header.organization, attempt);
    this.#forget(attempt, { kind: 'abandoned', reason });
  }

  /** A queued attempt, already out of the queue, goes back to its gateway unserved. */
  #handBack(attempt: Attempt, reason: RefusalReason): void {
    this.#forget(attempt, { kind: 'handed_back', reason });
    this.#giveBack(attempt, reason);
  }

  /** The one way out of everything that was accepted. */
  #forget(attempt: Attempt, end: AttemptEnd): void {
    attempt.state = 'ended';
    this.#attempts.delete(attempt.name);
    this.#options.onEnd(attempt, end);
  }

  #retryAfter(): number | undefined {
    return this.#serviceTime.expectedWaitMs(this.#queue.size, this.#slots.limit);
  }
}
