import {
  FrameKind,
  REFUSAL_REASONS,
  TICK_INTERVAL_MS,
  frame,
  jsonFrame,
  type AbandonReason,
  type RefusalReason,
  type WorkerLoad,
} from '@sluice/contracts';
import { count, startAtZero, type Logger } from '@sluice/telemetry';
import { failedFrame, refusedFrame } from './answer-frames.ts';
import { AttemptFailure } from './attempt-failure.ts';
import { endOf, type AttemptOutcome, type RunAttempt } from './attempt-outcome.ts';
import { AttemptScheduler } from './attempt-scheduler.ts';
import { Attempt, type AttemptDetails, type AttemptEnd } from './attempt.ts';
import { isLargeBody } from './large-body.ts';
import { RecentCancels } from './recent-cancels.ts';
import type { Slots } from './slots.ts';
import { stalledStage, type Patience } from './stalled-stage.ts';

export interface JobDeskOptions extends Patience {
  readonly run: RunAttempt;
  readonly slots: Slots;
  readonly queueLimit: number;
  readonly now: () => number;
  readonly logger: Logger;
  /** Called once for every attempt that was accepted. */
  readonly onEnd: (attempt: Attempt, end: AttemptEnd) => void;
}

/** What is asked of the runtime's supervisor. */
export interface ServingRuntime {
  readonly up: boolean;
  serves(model: string): boolean;
}

const TICK = frame(FrameKind.tick);
const ACCEPTED = { answer: 'accepted', reason: 'none' } as const;
const refused = (reason: RefusalReason) => ({ answer: 'refused', reason }) as const;

/** The worker's desk: it accepts or refuses jobs, tells their gateways what becomes of them, and lets none get lost. */
export class JobDesk {
  readonly #options: JobDeskOptions;
  readonly #attempts = new Map<string, Attempt>();
  readonly #scheduler: AttemptScheduler;
  readonly #cancels = new RecentCancels();
  #draining = false;

  constructor(options: JobDeskOptions) {
    this.#options = options;
    const { run, slots, now, logger } = options;
    this.#scheduler = new AttemptScheduler({
      run,
      slots,
      now,
      logger,
      onEnd: (attempt, outcome) => this.#ended(attempt, outcome),
    });
    startAtZero('sluice.worker.jobs', [ACCEPTED, ...REFUSAL_REASONS.map(refused)]);
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

  /** Since the start. */
  get generatedTokens(): number {
    return this.#scheduler.generatedTokens;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Everything it holds; all zero when nothing is under way. */
  get holdings(): Readonly<Record<'attempts' | 'running' | 'queued' | 'organizations', number>> {
    const { queued, organizations } = this.#scheduler;
    const { running } = this.#options.slots;
    return { attempts: this.#attempts.size, running, queued, organizations };
  }

  /** What it keeps in mind for a minute, for jobs that may come late. */
  get remembered(): Readonly<Record<'cancels', number>> {
    return { cancels: this.#cancels.size };
  }

  /** Accepts or refuses at once, on the job's own channel. */
  take(details: AttemptDetails): void {
    const attempt = new Attempt(details);
    // Its place comes first, so that the load it is told includes itself; nothing is sent for it before the next
    // microtask.
    const refusal = this.#objectionTo(attempt) ?? this.#place(attempt);
    if (refusal === undefined) this.#accept(attempt);
    else this.#refuse(attempt, refusal);
  }

  #objectionTo({ name }: Attempt): RefusalReason | undefined {
    if (this.#draining) return 'draining';
    if (this.#cancels.has(name, this.#options.now())) return 'cancelled';
    // The same attempt twice would share a name, and with it frames and cancels.
    return this.#attempts.has(name) ? 'malformed' : undefined;
  }

  /** Gives it a slot or a place in the queue, if need be that of another; undefined unless there is none. */
  #place(attempt: Attempt): RefusalReason | undefined {
    if (this.#scheduler.startAtOnce(attempt)) return undefined;
    while (!this.#scheduler.hasRoomFor(attempt)) {
      const displaced = this.#scheduler.displaceBytesFor(attempt);
      if (displaced === undefined) return 'full';
      this.#handBack(displaced, 'full');
    }
    if (this.#scheduler.queued >= this.#options.queueLimit) {
      const displaced = this.#scheduler.displaceFor(attempt.header.organization);
      if (displaced === undefined) return 'full';
      this.#handBack(displaced, 'full');
    }
    this.#scheduler.enqueue(attempt);
    return undefined;
  }

  #refuse(attempt: Attempt, reason: RefusalReason): void {
    count('sluice.worker.jobs', refused(reason));
    this.#sendRefused(attempt, reason);
  }

  #sendRefused(attempt: Attempt, reason: RefusalReason): void {
    attempt.channel.send(refusedFrame(reason, this.load, this.#scheduler.expectedWaitMs));
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

  /** Nothing can be sent for this attempt any more. */
  noteBrokenChannel(name: string): void {
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

  /** What waits here, or those of it, would wait for nothing: its gateways may find somebody else. */
  handBackQueue(
    reason: RefusalReason,
    isHopeless: (attempt: Attempt) => boolean = () => true,
  ): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.state === 'queued' && isHopeless(attempt)) {
        this.#scheduler.dequeue(attempt);
        this.#handBack(attempt, reason);
      }
    }
  }

  /** Resolves once nothing is running. */
  whenIdle(): Promise<void> {
    return this.#scheduler.whenIdle();
  }

  /** The time for finishing is over. */
  failRest(): void {
    for (const attempt of this.#attempts.values()) attempt.stop(AttemptFailure.unavailable());
  }

  /** The runtime has other models or slots, is gone, or is no longer in doubt. */
  runtimeChanged(runtime: ServingRuntime): void {
    if (runtime.up) {
      // Before they get a slot, only to be told by the runtime that it has no such model.
      this.handBackQueue('unknown_model', ({ header }) => !runtime.serves(header.runtime_model));
    } else this.handBackQueue('runtime_down');
    this.#scheduler.fillSlots();
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
    const retryAfterMs = this.#scheduler.expectedWaitMs;
    return new AttemptFailure('queue_timeout', { retryable: false, retryAfterMs });
  }

  #stalled(attempt: Attempt, now: number): AttemptFailure | undefined {
    const stage = stalledStage(attempt, now, this.#options);
    if (stage === undefined) return undefined;
    count('sluice.worker.stalls', { stage, model: attempt.header.model });
    return AttemptFailure.unavailable();
  }

  #accept(attempt: Attempt): void {
    count('sluice.worker.jobs', ACCEPTED);
    this.#attempts.set(attempt.name, attempt);
    // Made when it leaves: an older load that came after a newer one would be believed.
    const accepted = () => jsonFrame(FrameKind.accepted, { load: this.load });
    // A running attempt will have more to say, perhaps at once; of a queued one nothing else may come for long, nor of
    // one that has much to read.
    const isQuick = attempt.state === 'running' && !isLargeBody(attempt.bodyBytes);
    if (isQuick) attempt.channel.sendSoon(accepted);
    else attempt.channel.send(accepted());
  }

  /** It had a slot, which goes to the next before the load is told. */
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

  /** A queued attempt, already out of the queue, goes back to its gateway unserved. */
  #handBack(attempt: Attempt, reason: RefusalReason): void {
    this.#forget(attempt, { kind: 'handed_back', reason });
    this.#sendRefused(attempt, reason);
  }

  /** The one way out of everything that was accepted. */
  #forget(attempt: Attempt, end: AttemptEnd): void {
    attempt.state = 'ended';
    this.#attempts.delete(attempt.name);
    this.#options.onEnd(attempt, end);
  }
}
