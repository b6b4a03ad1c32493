import {
  HEARTBEAT_INTERVAL_MS,
  attemptName,
  encodeJob,
  type ServiceError,
} from '@sluice/contracts';
import { count, startAtZero, traceHeaders, type TraceSpan } from '@sluice/telemetry';
import type { AttemptCarrier } from './attempt-carrier.ts';
import {
  COUNTED_ENDS,
  isWorkersFault,
  reasonOf,
  type AttemptEnd,
  type UnfinishedEnd,
} from './attempt-end.ts';
import { Attempt } from './attempt.ts';
import type { WorkerChoice } from './choose-worker.ts';
import type { CompletionJob } from './completion-job.ts';
import type { CompletionSink } from './completion-sink.ts';
import type { DetourMemory } from './detour-memory.ts';
import { busyError, failureOf, modelMissing } from './dispatch-errors.ts';
import type { FleetTable } from './fleet-table.ts';
import { jobHeader } from './job-header.ts';
import { JobWaits } from './job-waits.ts';
import type { KeptBody } from './kept-body.ts';
import { RETRY_CAUSES, decideNext, type AwaitedReason, type NextStep } from './retry-rules.ts';
import { WorkerSearch } from './worker-search.ts';

export interface DispatchOptions {
  readonly gateway: string;
  /** How long a job may wait for a slot. */
  readonly queueMs: number;
  readonly runMs: number;
  readonly fleet: FleetTable;
  readonly carrier: AttemptCarrier;
  readonly clock: () => number;
  readonly random: () => number;
}

const LEAVE_ALONE_MS = 5_000;
/** The worker keeps the time; this is for one that does not. */
const OVERDUE_GRACE_MS = 5_000;

/**
 * Why no worker took a job: those that serve its model were full, there were none, or the runtimes of its pool are up
 * and none has the model.
 */
export const UNSERVED_REASONS = ['no_room', 'no_worker', 'no_model'] as const;
type UnservedReason = (typeof UNSERVED_REASONS)[number];

const MALFORMED_FRAME = { message: 'frame', fault: 'shape' } as const;

/** What is counted of jobs, whatever their model. */
export function startJobCounters(): void {
  startAtZero('sluice.gateway.attempts', COUNTED_ENDS);
  startAtZero(
    'sluice.gateway.retries',
    RETRY_CAUSES.map((cause) => ({ cause })),
  );
  startAtZero('sluice.contract.mismatches', [MALFORMED_FRAME]);
}

export interface JobContext {
  readonly job: CompletionJob;
  readonly body: KeptBody;
  readonly sink: CompletionSink;
  readonly signal: AbortSignal;
  readonly span: TraceSpan;
  readonly detours: DetourMemory;
}

/** One job's way: offers, at most one retry, the end. */
export class JobRun {
  readonly #options: DispatchOptions;
  readonly #context: JobContext;
  #queueUntil: number;
  readonly #search: WorkerSearch;
  readonly #waits: JobWaits;
  #returns = 0;
  #retried = false;
  /** Why the worker that had queued the job was lost, where the job waits for a place elsewhere. */
  #placeLostBy: AwaitedReason | undefined;
  /** Of each runtime that failed this job: takes back what that did to its worker. */
  readonly #excuses: (() => void)[] = [];
  #retryAfterMs: number | undefined;

  constructor(options: DispatchOptions, context: JobContext) {
    this.#options = options;
    this.#context = context;
    this.#queueUntil = options.clock() + options.queueMs;
    const { fleet, random, carrier } = options;
    const { job, detours, signal } = context;
    this.#search = new WorkerSearch({ fleet, random, detours, examined: job.examined });
    this.#waits = new JobWaits({ fleet, carrier, signal });
  }

  async run(): Promise<void> {
    const { job, sink, signal } = this.#context;
    if (!this.#options.carrier.connected) await this.#waits.untilConnected();
    for (;;) {
      signal.throwIfAborted();
      if (this.#queueMsLeft() <= 0) throw this.#countUnserved();
      const choice = this.#search.next();
      if (choice === undefined) {
        // Nobody is known while the bus is away: that says nothing of who serves the model.
        if (!this.#options.carrier.connected) await this.#waits.untilReconnected();
        await (this.#mayAwaitPlace() ? this.#awaitPlace() : this.#awaitWorkers());
        continue;
      }
      // Nothing may come between the choice and the offer, which counts in the choices of others.
      const end = await this.#attempt(choice);
      if (end.kind === 'finished') {
        this.#options.fleet.endedWell(choice.worker.id);
        job.tally.finished = true;
        sink.finish(end.finishReason);
        return;
      }
      await this.#goOn(choice, end);
    }
  }

  /** Returns when there may be somebody to offer the job to; throws when everybody has been heard. */
  async #awaitWorkers(): Promise<void> {
    if (this.#search.isOver || this.#waits.everybodyHeard) throw this.#countUnserved();
    await this.#waits.untilHeard();
  }

  /**
   * A job that lost its place in a queue goes on waiting: for a place elsewhere, or for a runtime that may be back.
   * Who drains is not waited for.
   */
  #mayAwaitPlace(): boolean {
    if (this.#placeLostBy === 'draining') return this.#search.isServed;
    return this.#placeLostBy === 'runtime_down';
  }

  async #awaitPlace(): Promise<void> {
    await this.#waits.untilRoom(this.#queueMsLeft());
    this.#search.askOnce();
  }

  /** Takes the step that follows an end without the answer: returns to offer the job again, else throws. */
  async #goOn({ worker }: WorkerChoice, end: UnfinishedEnd): Promise<void> {
    const { job, body, sink, signal } = this.#context;
    this.#search.exclude(worker.id);
    if (end.kind === 'left') signal.throwIfAborted();
    if (isWorkersFault(end)) this.#blame(worker.id, end);
    if (end.kind === 'malformed') count('sluice.contract.mismatches', MALFORMED_FRAME);
    if (end.kind === 'refused') this.#noteRetryAfter(end.retryAfterMs);
    const next = decideNext(end, {
      delivered: sink.delivered,
      retried: this.#retried,
      returns: this.#returns,
      bodyBytes: body.length,
      isBodyGone: body.isGone,
    });
    switch (next.kind) {
      case 'fail':
        throw failureOf(end);
      case 'give_up':
        throw this.#countUnserved();
      case 'refuse_as_busy':
        throw this.#busy();
      case 'offer_to_next':
        if (end.kind === 'refused') job.tally.refusedOffers += 1;
        return;
      case 'search_again':
        this.#returns += 1;
        this.#placeLostBy = next.waitsAfter;
        this.#search.beginAnew(worker.id);
        return;
      case 'retry':
        if (!(await this.#retry(worker.id, next))) throw failureOf(end);
    }
  }

  /** Whether there is a worker to retry the job on. */
  async #retry(
    worker: string,
    { cause, on }: Extract<NextStep, { kind: 'retry' }>,
  ): Promise<boolean> {
    const { job, sink } = this.#context;
    this.#retried = true;
    this.#placeLostBy = undefined;
    this.#search.beginAnew(worker);
    // It may have run for longer than jobs may wait: that was no waiting for a slot.
    this.#queueUntil = this.#options.clock() + this.#options.queueMs;
    job.tally.restart();
    sink.restart();
    if (on === 'another' && !this.#search.hasOther) return false;
    if (on === 'same_if_no_other') this.#search.readmitLast(worker);
    if (on === 'any_after_reconnect') {
      this.#search.readmit(worker);
      await this.#waits.untilReconnected();
    }
    count('sluice.gateway.retries', { cause });
    return true;
  }

  /**
   * A job that a second runtime fails too is itself to blame: some answer 5xx to what they cannot read. Whoever sends
   * such jobs could otherwise keep all workers but one from everybody.
   */
  #blame(worker: string, end: AttemptEnd): void {
    const excuse = this.#options.fleet.leaveAlone(worker, LEAVE_ALONE_MS);
    if (end.kind !== 'failed' || end.reason !== 'upstream_unavailable') return;
    this.#excuses.push(excuse);
    if (this.#excuses.length > 1) for (const each of this.#excuses) each();
  }

  async #attempt(choice: WorkerChoice): Promise<AttemptEnd> {
    const { fleet, clock, runMs } = this.#options;
    const { job, body, sink, signal, span } = this.#context;
    const { worker, reason } = choice;
    this.#search.offered(choice);
    job.tally.offers += 1;
    const name = attemptName(job.requestId, job.tally.offers);
    span.addEvent('offer', { attempt: name, worker: worker.id, reason });
    const attempt = new Attempt({
      name,
      worker,
      fleet,
      search: this.#search,
      body,
      sink,
      tally: job.tally,
      clock,
      limitMs: this.#queueMsLeft() + runMs + OVERDUE_GRACE_MS,
    });
    const onGone = () => attempt.end({ kind: 'left' });
    signal.addEventListener('abort', onGone);
    attempt.begin();
    try {
      this.#send(attempt);
      const end = await attempt.ended;
      span.addEvent('end', { attempt: name, kind: end.kind });
      count('sluice.gateway.attempts', { end: end.kind, reason: reasonOf(end) });
      return end;
    } finally {
      signal.removeEventListener('abort', onGone);
    }
  }

  /** By itself, so that the payload is not kept while the attempt is awaited. */
  #send(attempt: Attempt): void {
    const { job, span } = this.#context;
    const { gateway, runMs, carrier } = this.#options;
    const queueMs = this.#queueMsLeft();
    const header = jobHeader(job, { gateway, attempt: job.tally.offers, queueMs, runMs });
    carrier.offer(attempt, encodeJob(header, job.body), traceHeaders(span));
  }

  #queueMsLeft(): number {
    return this.#queueUntil - this.#options.clock();
  }

  #noteRetryAfter(retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) return;
    this.#retryAfterMs = Math.min(retryAfterMs, this.#retryAfterMs ?? retryAfterMs);
  }

  /** Counts the job as unserved, and gives the error that says so. */
  #countUnserved(): ServiceError {
    const { model } = this.#context.job.examined;
    const reason = this.#unservedReason();
    count('sluice.gateway.unserved', { reason, model: model.id });
    return reason === 'no_model' ? modelMissing() : this.#busy();
  }

  #unservedReason(): UnservedReason {
    if (this.#search.isServed) return 'no_room';
    const { model } = this.#context.job.examined;
    return this.#options.fleet.lacksModel(model) ? 'no_model' : 'no_worker';
  }

  #busy(): ServiceError {
    const { model } = this.#context.job.examined;
    const wait = this.#retryAfterMs ?? this.#options.fleet.expectedWaitMs(model);
    return busyError(wait ?? HEARTBEAT_INTERVAL_MS);
  }
}
