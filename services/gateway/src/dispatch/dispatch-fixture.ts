import {
  FrameKind,
  decodeJob,
  encodeFrames,
  frame,
  jsonFrame,
  readFrames,
  type Frame,
  type JobHeader,
} from '@sluice/contracts';
import * as z from 'zod';
import { testPrincipal } from '../access/principal-fixture.ts';
import { FleetTable } from '../fleet/fleet-table.ts';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import type { ByteBudget } from '../request/byte-budget.ts';
import { CompletionCounts } from '../request/completion-counts.ts';
import type { AttemptSender } from './attempt-sender.ts';
import { Attempt } from './attempt.ts';
import { Dispatcher } from './dispatcher.ts';
import type { CompletionSink, CompletionJob } from './job.ts';
import { PoolDemand } from './pool-demand.ts';
import { RetainedBody, retainedBodyBudget } from './retained-body.ts';
import { WakeQueue } from './wake-queue.ts';
import { WorkerSearch } from './worker-search.ts';

export const load = { slots: 4, running: 1, queued: 0, queue_limit: 4 };
export const accepted = () => jsonFrame(FrameKind.accepted, { load });
export const started = () => frame(FrameKind.started);
export const delta = (text: string) => jsonFrame(FrameKind.delta, { content: text });
export const usage = (counts: object) => jsonFrame(FrameKind.usage, counts);
export const finished = () => jsonFrame(FrameKind.finished, { finish_reason: 'stop', load });
export const refused = (retryAfterMs?: number) =>
  jsonFrame(FrameKind.refused, { reason: 'full', load, retry_after_ms: retryAfterMs });
export const failed = (retryable: boolean, reason = 'upstream_unavailable') =>
  jsonFrame(FrameKind.failed, { reason, retryable });

/** A job without `counts`, because those belong to a single run. */
export const job: Omit<CompletionJob, 'counts'> = {
  requestId: 'request',
  principal: testPrincipal(),
  examined: {
    model: {
      id: 'acme/large',
      object: 'model',
      created: 0,
      owned_by: 'acme',
      shutdown_date: null,
      context_length: 100,
      pool: 'default',
      runtime_model: 'large',
      reasoning_history: 'optional',
      input_token_ratio: 0.25,
    },
    stream: true,
    includeUsage: false,
    includeObfuscation: false,
    maxOutputTokens: 20,
    outputBoundRequested: true,
    schemaIn: undefined,
    reasoningEffort: undefined,
    inputTokens: 1,
    conversation: 7,
    prefix: { hashes: Int32Array.of(7), tokensPerCharacter: 0.25 },
  },
  body: Buffer.from('{}'),
};

const Delta = z.object({ content: z.string() });

export class RecordingSink implements CompletionSink {
  text = '';
  restarts = 0;
  reason: string | undefined;
  get delivered(): boolean {
    return this.text !== '';
  }
  started(): void {
    // Not needed by these tests.
  }
  delta(body: Uint8Array): void {
    this.text += Delta.parse(JSON.parse(Buffer.from(body).toString('utf8'))).content;
  }
  usage(): void {
    // Not needed by these tests.
  }
  restart(): void {
    this.restarts += 1;
  }
  finish(reason: string): void {
    this.reason = reason;
  }
}

interface AttemptParts {
  readonly name?: string;
  readonly worker?: string;
  readonly sink?: CompletionSink;
  readonly clock?: () => number;
  readonly limitMs?: number;
}

/** One attempt at the only worker of a fleet, with its parts. */
export function attemptOf({
  name = 'request-1',
  worker = 'a',
  sink = new RecordingSink(),
  clock = () => 0,
  limitMs = 60_000,
}: AttemptParts = {}) {
  const fleet = new FleetTable(() => 0);
  fleet.update(heartbeatOf(worker));
  const { examined } = job;
  const search = new WorkerSearch({
    fleet,
    random: () => 0,
    examined,
  });
  const choice = search.next();
  if (choice === undefined) throw new Error('the fleet has no worker');
  const counts = new CompletionCounts(examined);
  const body = new RetainedBody({ ...job, counts }, retainedBodyBudget());
  const attempt = new Attempt({
    name,
    worker: choice.worker,
    fleet,
    search,
    body,
    sink,
    counts,
    clock,
    limitMs,
  });
  return { attempt, worker: choice.worker, fleet, body };
}

/** The frames that the worker sends for each offer, in the order of the offers. An empty list means silence. */
type Script = readonly (readonly Frame[] | 'no_subscriber' | 'disconnect')[];

/** A dispatcher with workers that follow a script. */
export function setUp(script: Script, workers = ['a', 'b', 'c', 'd'], room?: ByteBudget) {
  const time = { skippedMs: 0 };
  const clock = () => performance.now() + time.skippedMs;
  const fleet = new FleetTable(clock);
  for (const worker of workers) fleet.update(heartbeatOf(worker));
  const offers: { worker: string; header: JobHeader; name: string; attempt: Attempt }[] = [];
  const ends: string[] = [];
  const sender: Pick<AttemptSender, 'offer' | 'waitForReconnect' | 'fleetKnown'> & {
    connected: boolean;
  } = {
    connected: true,
    offer(attempt: Attempt, payload: Uint8Array): void {
      const behaviour = script[offers.length] ?? [];
      offers.push({
        worker: attempt.worker,
        header: decodeJob(payload).header,
        name: attempt.name,
        attempt,
      });
      void attempt.ended.then(({ kind }) => ends.push(kind));
      if (behaviour === 'no_subscriber') attempt.end({ kind: 'nobody_listens' });
      else if (behaviour === 'disconnect') attempt.end({ kind: 'disconnected' });
      else setImmediate(() => readFrames(encodeFrames(0, behaviour), attempt.onFrame));
    },
    waitForReconnect: () => Promise.resolve(sender.connected),
    fleetKnown: () => Promise.resolve(),
  };
  const wakes = new WakeQueue({ fleet, clock, maxRequests: 8, maxBytes: 1_000 });
  const demand = new PoolDemand({ fleet, wakes, clock });
  const dispatcher = new Dispatcher(
    {
      gateway: 'gateway',
      fleet,
      wakes,
      demand,
      sender,
      clock,
      random: () => 0,
      queueMs: 30_000,
      runMs: 60_000,
    },
    room,
  );
  const sink = new RecordingSink();
  const gone = new AbortController();
  const counts = new CompletionCounts(job.examined);
  return {
    sink,
    offers,
    ends,
    gone,
    fleet,
    wakes,
    demand,
    sender,
    dispatcher,
    time,
    run: (taken = { ...job }) =>
      dispatcher.dispatch(Object.assign(taken, { counts }), sink, { signal: gone.signal }),
    /** Shared by all runs. */
    counts,
    offeredTo: () => offers.map(({ worker }) => worker),
    /** The workers that the next job can be offered to. */
    candidates: () => fleet.candidates(job.examined.model, new Set()).map(({ id }) => id),
  };
}

export const whole = [accepted(), started(), delta('Hello'), finished()];
