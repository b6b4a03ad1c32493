import {
  HEARTBEAT_INTERVAL_MS,
  attemptName,
  encodeJob,
  type ServiceError,
} from '@sluice/contracts';
import { count, initCounters, traceHeaders, type TraceSpan } from '@sluice/service';
import type { WorkerChoice } from '../fleet/choose-worker.ts';
import type { FleetTable } from '../fleet/fleet-table.ts';
import type { Offer } from '../request/completion-counts.ts';
import {
  COUNTED_ENDS,
  isWorkerFault,
  offerEnd,
  reasonOf,
  type AttemptEnd,
  type UnfinishedEnd,
} from './attempt-end.ts';
import type { AttemptSender } from './attempt-sender.ts';
import { Attempt } from './attempt.ts';
import { busyError, failureOf, modelMissing, unreachableError } from './dispatch-errors.ts';
import type { BoundedOrganization, HeldSlots } from './held-slots.ts';
import { JobWaits } from './job-waits.ts';
import { type CompletionSink, jobHeader, type CompletionJob } from './job.ts';
import type { PoolDemand } from './pool-demand.ts';
import type { RetainedBody } from './retained-body.ts';
import { RETRY_CAUSES, decideNext, type AwaitedReason, type NextStep } from './retry-rules.ts';
import { countFallback, countTargetAttempt } from './target-counters.ts';
import type { WakeQueue } from './wake-queue.ts';
import { WorkerSearch } from './worker-search.ts';

export interface DispatchOptions {
  readonly gateway: string;
  /** How long a job may wait for a slot. */
  readonly queueMs: number;
  readonly runMs: number;
  readonly fleet: FleetTable;
  readonly wakes: WakeQueue;
  readonly demand: Pick<PoolDemand, 'noteUnserved'>;
  readonly sender: Pick<AttemptSender, 'connected' | 'offer' | 'waitForReconnect' | 'fleetKnown'>;
  readonly clock: () => number;
  readonly random: () => number;
}

/** For this long, other workers are preferred to one that failed a job. */
const PENALTY_MS = 5_000;
/** Workers enforce the time limits themselves. The gateway ends an attempt only if it exceeds them by this much. */
const OVERDUE_GRACE_MS = 5_000;

/** Why no worker took a job: all workers of its model were full, there were none, or no runtime has the model. */
export const UNSERVED_REASONS = ['no_room', 'no_worker', 'no_model'] as const;
type UnservedReason = (typeof UNSERVED_REASONS)[number];

const MALFORMED_FRAME = { message: 'frame', fault: 'shape' } as const;

/** Starts the counters that have no model label. */
export function startJobCounters(): void {
  initCounters('sluice.gateway.attempts', COUNTED_ENDS);
  initCounters(
    'sluice.gateway.retries',
    RETRY_CAUSES.map((cause) => ({ cause })),
  );
  initCounters('sluice.contract.mismatches', [MALFORMED_FRAME]);
}

export interface JobContext {
  readonly job: CompletionJob;
  readonly body: RetainedBody;
  readonly sink: CompletionSink;
  readonly signal: AbortSignal;
  readonly span: TraceSpan;
  readonly heldSlots: HeldSlots;
}

/** Runs one job: offers it to workers, retries it at most once, and ends it. */
export class JobRun {
  readonly #options: DispatchOptions;
  readonly #context: JobContext;
  /** The time until which the job may wait for a slot. */
  #queueUntil: number;
  /** Set if the plan bounds the slots of the organization. */
  readonly #bounded: BoundedOrganization | undefined;
  readonly #search: WorkerSearch;
  readonly #waits: JobWaits;
  /** How often workers have returned this job from their queues. */
  #returns = 0;
  #retried = false;
  /** Set while the job waits for a new place in a queue: why it lost the previous one. */
  #placeLostBy: AwaitedReason | undefined;
  /** The time until which the job may wait for the first worker of a pool. Undefined until it begins to wait. */
  #wakeUntil: number | undefined;
  /** Functions that undo the penalties of the workers whose runtimes failed this job. */
  readonly #undoPenalties: (() => void)[] = [];
  /** The shortest wait that a refusing worker has named. */
  #retryAfterMs: number | undefined;
  /** Names of the targets whose workers did not take the job. */
  readonly #leftTargets: string[] = [];

  constructor(options: DispatchOptions, context: JobContext) {
    this.#options = options;
    this.#context = context;
    this.#queueUntil = options.clock() + options.queueMs;
    const { fleet, random, sender } = options;
    const { job, heldSlots, signal } = context;
    const { organization, scheduling } = job.principal;
    const { slots_per_worker: slotsPerWorker } = scheduling;
    const bounded = slotsPerWorker === undefined ? undefined : { organization, slotsPerWorker };
    this.#bounded = bounded;
    this.#search = new WorkerSearch({
      fleet,
      random,
      ...(bounded !== undefined && {
        fullWorkers: () => heldSlots.fullFor(bounded).union(fleet.fullFor(organization)),
      }),
      examined: job.examined,
    });
    this.#waits = new JobWaits({ fleet, sender, signal });
  }

  async run(): Promise<void> {
    const { job, sink, signal } = this.#context;
    if (!this.#options.sender.connected) await this.#waits.waitForConnection();
    for (;;) {
      signal.throwIfAborted();
      if (this.#queueMsLeft() <= 0) throw this.#countUnserved();
      const choice = this.#search.next();
      if (choice === undefined) {
        // Without the bus, no worker is known, although some may serve the model.
        if (!this.#options.sender.connected) await this.#waits.waitForReconnect();
        if (this.#useNextTarget()) continue;
        await (this.#mayAwaitPlace() ? this.#awaitPlace() : this.#awaitWorkers());
        continue;
      }
      // No await between the choice and the offer: the offer has to count as load when the next job chooses.
      const end = await this.#attempt(choice);
      if (end.kind === 'finished') {
        this.#recordSuccess(choice);
        this.#options.wakes.noteFreedSlot();
        job.counts.finished = true;
        sink.finish(end.finishReason);
        return;
      }
      await this.#takeNextStep(choice, end);
    }
  }

  #recordSuccess({ worker, expectedCachedTokens: expected }: WorkerChoice): void {
    const { fleet } = this.#options;
    const { counts } = this.#context.job;
    fleet.recordSuccess(worker.id);
    counts.expectedCachedTokens = expected;
    // A reply to a prompt that was not expected in the cache says nothing about the cache.
    const reported = expected > 0 ? counts.readUsage()?.cached_tokens : undefined;
    if (reported !== undefined) fleet.noteCachedTokens(worker, { expected, reported });
  }

  /**
   * Goes on with the next target of the model, because no worker of this one takes the job. Returns false if there is
   * no next target, or if the gateway has just started and does not know all workers yet.
   */
  #useNextTarget(): boolean {
    const { target, isOver } = this.#search;
    const isKnown = isOver || this.#waits.isFleetKnown || this.#placeLostBy !== undefined;
    if (!isKnown || !this.#search.useNextTarget()) return false;
    // A waiting job leaves the same target again and again, and is counted once.
    if (this.#leftTargets.includes(target.name)) return true;
    this.#leftTargets.push(target.name);
    countFallback(this.#context.job.examined.model.id, target.name);
    this.#options.demand.noteUnserved(target.pool);
    return true;
  }

  /** Returns when a worker may have arrived. Throws if there is nothing to wait for. */
  async #awaitWorkers(): Promise<void> {
    if (this.#search.isOver || this.#waits.isFleetKnown) await this.#awaitWake();
    else await this.#waits.waitForFleet();
  }

  /** Waits for the first worker of a pool that has none. Throws if the job may not wait, or has waited long enough. */
  async #awaitWake(): Promise<void> {
    const { wakes, clock, sender, queueMs } = this.#options;
    const { job, body, signal, span } = this.#context;
    const { model } = job.examined;
    const hadWorkers = this.#wakeUntil === undefined && this.#search.isServed;
    if (hadWorkers || this.#isModelMissing()) throw this.#countUnserved();
    this.#wakeUntil ??= clock() + (model.wake_timeout ?? 0) * 1_000;
    const limitMs = this.#wakeUntil - clock();
    if (limitMs <= 0) throw this.#countUnserved();
    const { organization } = job.principal;
    const { targets } = this.#search;
    span.addEvent('wait for worker', { pool: targets[0].pool });
    const bodyBytes = body.length;
    const end = await wakes.wait({ targets, organization, bodyBytes, limitMs, signal });
    if (end === 'over' && !sender.connected) throw unreachableError();
    if (end !== 'ask_again') throw this.#countUnserved();
    // Waiting for a worker does not count as waiting for a slot. The job may now wait for a slot as long as any other
    // job, or for the rest of its wake timeout if that is longer.
    this.#queueUntil = Math.max(clock() + queueMs, this.#wakeUntil);
    this.#search.allowOneOffer();
  }

  /**
   * A job that lost its place in a queue keeps waiting, for a place at another worker or for its runtime to return. It
   * does not wait for a draining worker, which may never take jobs again.
   */
  #mayAwaitPlace(): boolean {
    if (this.#placeLostBy === 'draining') return this.#search.isServed;
    return this.#placeLostBy === 'runtime_down';
  }

  async #awaitPlace(): Promise<void> {
    await this.#waits.waitForRoom(this.#queueMsLeft());
    this.#search.allowOneOffer();
  }

  /** Handles an end without a complete answer. Returns if the job is to be offered again; otherwise throws. */
  async #takeNextStep({ worker }: WorkerChoice, end: UnfinishedEnd): Promise<void> {
    const { job, body, sink, signal } = this.#context;
    this.#search.exclude(worker.id);
    if (end.kind === 'left') signal.throwIfAborted();
    if (isWorkerFault(end)) this.#penalize(worker.id, end);
    if (end.kind === 'malformed') count('sluice.contract.mismatches', MALFORMED_FRAME);
    if (end.kind === 'refused') this.#noteRetryAfter(end.retryAfterMs);
    const next = decideNext(end, {
      delivered: sink.delivered,
      retried: this.#retried,
      returns: this.#returns,
      bodyBytes: body.length,
      isBodyReleased: body.isReleased,
    });
    switch (next.kind) {
      case 'fail':
        throw failureOf(end);
      case 'give_up':
        throw this.#countUnserved();
      case 'refuse_as_busy':
        throw this.#busy();
      case 'offer_to_next':
        if (end.kind === 'refused') job.counts.refusedOffers += 1;
        return;
      case 'search_again':
        this.#returns += 1;
        this.#placeLostBy = next.waitsAfter;
        this.#search.restart(worker.id);
        return;
      case 'retry':
        if (!(await this.#retry(worker.id, next))) throw failureOf(end);
    }
  }

  /** Prepares the retry. Resolves to false if there is no worker for it. */
  async #retry(
    worker: string,
    { cause, on }: Extract<NextStep, { kind: 'retry' }>,
  ): Promise<boolean> {
    const { job, sink } = this.#context;
    this.#retried = true;
    this.#placeLostBy = undefined;
    this.#search.restart(worker);
    // The time that the job ran does not count as waiting for a slot.
    this.#queueUntil = this.#options.clock() + this.#options.queueMs;
    job.counts.restart();
    sink.restart();
    if (on === 'another' && !this.#search.hasOther) return false;
    if (on === 'same_if_no_other') this.#search.allowAgainLast(worker);
    if (on === 'any_after_reconnect') {
      this.#search.allowAgain(worker);
      await this.#waits.waitForReconnect();
    }
    count('sluice.gateway.retries', { cause });
    return true;
  }

  /**
   * Penalizes a worker that failed the job. If a second runtime fails the same job, the job is the likely cause, since
   * some runtimes answer 5xx to input they cannot read. Then all its penalties are undone. Otherwise, one client could
   * take all workers out of use.
   */
  #penalize(worker: string, end: AttemptEnd): void {
    const undo = this.#options.fleet.penalize(worker, PENALTY_MS);
    if (end.kind !== 'failed' || end.reason !== 'upstream_unavailable') return;
    this.#undoPenalties.push(undo);
    if (this.#undoPenalties.length > 1) for (const each of this.#undoPenalties) each();
  }

  async #attempt(choice: WorkerChoice): Promise<AttemptEnd> {
    const { fleet, clock, runMs } = this.#options;
    const { job, body, sink, signal, span } = this.#context;
    const { worker, reason } = choice;
    this.#search.offered(choice);
    const target = this.#search.target.name;
    const offer: Offer = {
      worker: worker.id,
      workerName: worker.heartbeat.worker_name,
      target,
      offeredAt: clock(),
      end: undefined,
    };
    job.counts.addOffer(offer);
    const name = attemptName(job.requestId, job.counts.offers);
    span.addEvent('offer', { attempt: name, worker: worker.name, reason });
    const attempt = new Attempt({
      name,
      worker,
      fleet,
      search: this.#search,
      body,
      sink,
      counts: job.counts,
      clock,
      limitMs: this.#queueMsLeft() + runMs + OVERDUE_GRACE_MS,
    });
    const onAbort = () => attempt.end({ kind: 'left' });
    signal.addEventListener('abort', onAbort);
    attempt.begin();
    using _held = this.#bounded && this.#context.heldSlots.hold(this.#bounded, worker.id);
    try {
      this.#send(attempt);
      const end = await attempt.ended;
      const reason = 'reason' in end ? end.reason : undefined;
      offer.end = { at: clock(), kind: offerEnd(end), reason };
      span.addEvent('end', { attempt: name, kind: end.kind });
      count('sluice.gateway.attempts', { end: end.kind, reason: reasonOf(end) });
      countTargetAttempt(job.examined.model.id, target, end.kind);
      return end;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** A separate method, so that the payload is not kept in memory while the attempt is awaited. */
  #send(attempt: Attempt): void {
    const { job, span } = this.#context;
    const { gateway, runMs, sender } = this.#options;
    const queueMs = this.#queueMsLeft();
    const { target } = this.#search;
    const header = jobHeader(job, { gateway, attempt: job.counts.offers, target, queueMs, runMs });
    sender.offer(attempt, encodeJob(header, job.body), traceHeaders(span));
  }

  #queueMsLeft(): number {
    return this.#queueUntil - this.#options.clock();
  }

  #noteRetryAfter(retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) return;
    this.#retryAfterMs = Math.min(retryAfterMs, this.#retryAfterMs ?? retryAfterMs);
  }

  /** Counts the job as unserved and returns the error for its client. */
  #countUnserved(): ServiceError {
    const { model } = this.#context.job.examined;
    const reason = this.#unservedReason();
    count('sluice.gateway.unserved', { reason, model: model.id });
    if (reason !== 'no_model') this.#options.demand.noteUnserved(this.#search.target.pool);
    return reason === 'no_model' ? modelMissing() : this.#busy();
  }

  #unservedReason(): UnservedReason {
    if (this.#search.isServed) return 'no_room';
    return this.#isModelMissing() ? 'no_model' : 'no_worker';
  }

  /** Whether the runtimes of all targets are up, and none has the model. */
  #isModelMissing(): boolean {
    const { fleet } = this.#options;
    return this.#search.targets.every((target) => fleet.lacksModel(target));
  }

  #busy(): ServiceError {
    const { fleet, wakes } = this.#options;
    const schedulingClass = this.#context.job.principal.scheduling.scheduling_class;
    const waits = this.#search.targets.map(
      (target) =>
        fleet.expectedWaitMs(target, schedulingClass) ?? wakes.expectedMs(target.pool) ?? Infinity,
    );
    const wait = this.#retryAfterMs ?? Math.min(...waits);
    return busyError(Number.isFinite(wait) ? wait : HEARTBEAT_INTERVAL_MS);
  }
}
