import {
  FrameKind,
  REFUSAL_REASONS,
  SCHEDULING_CLASSES,
  TICK_INTERVAL_MS,
  frame,
  jsonFrame,
  type AbandonReason,
  type ClassLoad,
  type RefusalReason,
  type WorkerLoad,
} from '@sluice/contracts';
import { count, initCounters, type Logger } from '@sluice/service';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { endOf, type AttemptOutcome, type RunAttempt } from '../attempt/attempt-outcome.ts';
import { Attempt, type AttemptDetails, type AttemptEnd, isLargeBody } from '../attempt/attempt.ts';
import type { PromptCache } from '../cache/prompt-cache.ts';
import { stalledStage, type StallTimeouts } from '../schedule/attempt-clock.ts';
import type { UsedClass } from '../schedule/class-queue.ts';
import { AttemptScheduler } from '../schedule/scheduler.ts';
import type { Slots } from '../schedule/slots.ts';
import { failedFrame, refusedFrame } from './answer-frames.ts';
import { RecentCancels } from './recent-cancels.ts';

export interface JobIntakeOptions extends StallTimeouts {
  readonly run: RunAttempt;
  readonly slots: Slots;
  readonly queueLimit: number;
  /** How many percent of the tokens a scheduling class gets at least, even while jobs of higher classes wait. */
  readonly leastClassPercent: number;
  readonly cache: Pick<PromptCache, 'accepted' | 'runtimeEnded'>;
  readonly clock: () => number;
  readonly logger: Logger;
  /** Called once for every attempt that was accepted. */
  readonly onEnd: (attempt: Attempt, end: AttemptEnd) => void;
}

/** The part of the runtime's supervisor that the intake uses. */
export interface ServingRuntime {
  readonly up: boolean;
  serves(model: string): boolean;
}

const TICK = frame(FrameKind.tick);
const ACCEPTED = { answer: 'accepted', reason: 'none' } as const;
const refused = (reason: RefusalReason) => ({ answer: 'refused', reason }) as const;

/** Accepts or refuses jobs, and sends the gateway of each accepted job its outcome. */
export class JobIntake {
  readonly #options: JobIntakeOptions;
  readonly #attempts = new Map<string, Attempt>();
  readonly #scheduler: AttemptScheduler;
  readonly #cancels = new RecentCancels();
  /** An operator has drained the worker. */
  #drained = false;
  #stopping = false;

  constructor(options: JobIntakeOptions) {
    this.#options = options;
    const { run, slots, leastClassPercent, clock, logger } = options;
    this.#scheduler = new AttemptScheduler({
      run,
      slots,
      leastClassPercent,
      clock,
      logger,
      onEnd: (attempt, outcome) => this.#ended(attempt, outcome),
    });
    initCounters('sluice.worker.jobs', [ACCEPTED, ...REFUSAL_REASONS.map(refused)]);
  }

  get load(): WorkerLoad {
    const { slots, queueLimit } = this.#options;
    return {
      slots: slots.limit,
      running: slots.running,
      queued: this.#scheduler.queued,
      queue_limit: queueLimit,
    };
  }

  get serviceMs(): number | null {
    return this.#scheduler.serviceMs;
  }

  /** Tokens generated since the start of the worker. */
  get generatedTokens(): number {
    return this.#scheduler.generatedTokens;
  }

  /** The classes that were used since the start, the highest first. */
  get classes(): readonly UsedClass[] {
    return this.#scheduler.classes;
  }

  /** The classes with jobs, the highest first. Undefined while all jobs have the default class. */
  get activeClasses(): ClassLoad[] | undefined {
    const active = this.classes.filter(({ running, queued }) => running + queued > 0);
    if (active.every((one) => one.class === SCHEDULING_CLASSES.default)) return undefined;
    return active.map(({ tokens: _tokens, ...load }) => load);
  }

  /** The organizations that run as many jobs as their plans allow on one worker. */
  get organizationsAtBound(): string[] {
    return this.#scheduler.organizationsAtBound;
  }

  /** Whether new jobs are refused. */
  get draining(): boolean {
    return this.#drained || this.#stopping;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Current counts. All are zero while the worker is idle. */
  get holdings(): Readonly<Record<'attempts' | 'running' | 'queued' | 'organizations', number>> {
    const { queued, organizations } = this.#scheduler;
    const { running } = this.#options.slots;
    return { attempts: this.#attempts.size, running, queued, organizations };
  }

  /** Number of remembered cancels. They are kept for a minute, because a job may arrive after its cancel. */
  get remembered(): Readonly<Record<'cancels', number>> {
    return { cancels: this.#cancels.size };
  }

  /** Accepts or refuses a job at once, on its own channel. */
  accept(details: AttemptDetails): void {
    const attempt = new Attempt(details);
    // The attempt gets its slot or its place in the queue before `accepted` is sent, so that the load in this frame
    // includes it. A run that starts here sends nothing before the next microtask, so `accepted` is the first frame.
    const refusal = this.#refusalReason(attempt) ?? this.#place(attempt);
    if (refusal === undefined) this.#register(attempt);
    else this.#refuse(attempt, refusal);
  }

  #refusalReason({ name }: Attempt): RefusalReason | undefined {
    if (this.draining) return 'draining';
    if (this.#cancels.has(name, this.#options.clock())) return 'cancelled';
    // Two attempts of one name would mix up their frames and cancels.
    return this.#attempts.has(name) ? 'malformed' : undefined;
  }

  /**
   * Gives the attempt a slot or a place in the queue. If the queue is full, a queued attempt may be returned to its
   * gateway to make room. Returns why the attempt is refused if there is no place for it.
   */
  #place(attempt: Attempt): RefusalReason | undefined {
    if (this.#scheduler.startAtOnce(attempt)) return undefined;
    while (!this.#scheduler.hasRoomFor(attempt)) {
      const displaced = this.#scheduler.displaceBytesFor(attempt);
      if (displaced === undefined) return 'full';
      this.#returnToGateway(displaced, 'full');
    }
    if (this.#scheduler.queued >= this.#options.queueLimit) {
      const displaced = this.#scheduler.displaceFor(attempt);
      if (displaced === undefined) return 'full';
      this.#returnToGateway(displaced, 'full');
    }
    this.#scheduler.enqueue(attempt);
    return undefined;
  }

  #refuse(attempt: Attempt, reason: RefusalReason): void {
    count('sluice.worker.jobs', refused(reason));
    this.#sendRefused(attempt, reason);
  }

  #sendRefused(attempt: Attempt, reason: RefusalReason): void {
    attempt.channel.send(refusedFrame(reason, this.load, this.#scheduler.expectedWaitMs(attempt)));
  }

  /** Stops an attempt at any stage, and remembers the cancel in case the job has not arrived yet. */
  cancel(name: string): void {
    this.#cancels.remember(name, this.#options.clock());
    const attempt = this.#attempts.get(name);
    if (attempt !== undefined) {
      // The cancel shows that the gateway is alive, so it has received the tokens up to now.
      attempt.deliveredTokens = attempt.generatedTokens;
      this.#abandon(attempt, 'cancelled');
    }
  }

  /** Stops the attempts whose gateway can no longer be reached. */
  abandonWhere(reason: AbandonReason, lost: (attempt: Attempt) => boolean): readonly Attempt[] {
    const abandoned = [...this.#attempts.values()].filter(lost);
    for (const attempt of abandoned) this.#abandon(attempt, reason);
    return abandoned;
  }

  /** Stops an attempt whose frames can no longer be sent. */
  abandonBrokenChannel(name: string): void {
    const attempt = this.#attempts.get(name);
    if (attempt !== undefined) this.#abandon(attempt, 'channel_broken');
  }

  /** The gateway is alive, so the tokens of its attempts so far count as delivered. */
  markDelivered(gateway: string): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.header.gateway === gateway) attempt.deliveredTokens = attempt.generatedTokens;
    }
  }

  /**
   * An operator starts or ends a drain. While it lasts, new jobs are refused. Queued jobs are served and not returned,
   * so that a drain of the last worker of a pool fails none of them.
   */
  orderDrain(drained: boolean): void {
    this.#drained = drained;
  }

  /** The worker stops: refuses new jobs, returns the queue, and lets the running attempts finish. */
  stopAccepting(): void {
    this.#stopping = true;
    this.returnQueue('draining');
  }

  /** Returns queued attempts that this worker cannot serve, so that their gateways may choose another worker. */
  returnQueue(
    reason: RefusalReason,
    isUnservable: (attempt: Attempt) => boolean = () => true,
  ): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.state === 'queued' && isUnservable(attempt)) {
        this.#scheduler.dequeue(attempt);
        this.#returnToGateway(attempt, reason);
      }
    }
  }

  /** Resolves once nothing is running. */
  whenIdle(): Promise<void> {
    return this.#scheduler.whenIdle();
  }

  /** Fails all running attempts. Called when the drain time is over. */
  failRemaining(): void {
    for (const attempt of this.#attempts.values()) attempt.stop(AttemptFailure.unavailable());
  }

  /** To be called when the runtime went down or serves other models, and when slots or the hold on them change. */
  runtimeChanged(runtime: ServingRuntime): void {
    if (runtime.up) {
      // These jobs are returned before free slots are filled, because the runtime would refuse them.
      this.returnQueue('unknown_model', ({ header }) => !runtime.serves(header.runtime_model));
    } else {
      this.#options.cache.runtimeEnded();
      this.returnQueue('runtime_down');
    }
    this.#scheduler.fillSlots();
  }

  /** Sends ticks, and fails attempts at their deadline or when they stall. To be called several times a second. */
  sweep(): void {
    const now = this.#options.clock();
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
    const retryAfterMs = this.#scheduler.expectedWaitMs(attempt);
    return new AttemptFailure('queue_timeout', { retryable: false, retryAfterMs });
  }

  #stalled(attempt: Attempt, now: number): AttemptFailure | undefined {
    const stage = stalledStage(attempt, now, this.#options);
    if (stage === undefined) return undefined;
    count('sluice.worker.stalls', { stage, model: attempt.header.model });
    return AttemptFailure.unavailable();
  }

  #register(attempt: Attempt): void {
    count('sluice.worker.jobs', ACCEPTED);
    this.#attempts.set(attempt.name, attempt);
    this.#options.cache.accepted(attempt.header);
    // The frame is created when it is sent: gateways use the load that arrives last, so it must be current.
    const accepted = () => jsonFrame(FrameKind.accepted, { load: this.load });
    // A running attempt sends its next frame soon, so this one can wait for it. The next frame of a queued attempt, or
    // of one with a large body, may take long.
    const hasFrameSoon = attempt.state === 'running' && !isLargeBody(attempt.bodyBytes);
    if (hasFrameSoon) attempt.channel.sendDeferred(accepted);
    else attempt.channel.send(accepted());
  }

  /** The free slot is filled before `finished` is sent, so that the load in this frame is current. */
  #ended(attempt: Attempt, outcome: AttemptOutcome): void {
    this.#forget(attempt, endOf(outcome));
    this.#scheduler.fillSlots();
    if (outcome.kind === 'finished') {
      const finished = { finish_reason: outcome.finishReason, load: this.load };
      attempt.channel.send(...outcome.frames, jsonFrame(FrameKind.finished, finished));
    } else if (outcome.kind === 'failed') attempt.channel.send(failedFrame(outcome.failure));
  }

  #failNow(attempt: Attempt, failure: AttemptFailure): void {
    if (attempt.state === 'running') attempt.stop(failure);
    else {
      this.#scheduler.dequeue(attempt);
      this.#forget(attempt, { kind: 'failed', reason: failure.reason });
      attempt.channel.send(failedFrame(failure));
    }
  }

  #abandon(attempt: Attempt, reason: AbandonReason): void {
    const queued = attempt.state === 'queued';
    attempt.stop(reason);
    if (!queued) return;
    this.#scheduler.dequeue(attempt);
    this.#forget(attempt, { kind: 'abandoned', reason });
  }

  /** Returns an attempt that was taken out of the queue to its gateway. */
  #returnToGateway(attempt: Attempt, reason: RefusalReason): void {
    this.#forget(attempt, { kind: 'handed_back', reason });
    this.#sendRefused(attempt, reason);
  }

  /** Every accepted attempt ends here, exactly once. */
  #forget(attempt: Attempt, end: AttemptEnd): void {
    attempt.state = 'ended';
    this.#attempts.delete(attempt.name);
    this.#options.onEnd(attempt, end);
  }
}
