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
import type { AttemptCarrier } from './attempt-carrier.ts';
import { Attempt } from './attempt.ts';
import type { CompletionJob } from './completion-job.ts';
import type { CompletionSink } from './completion-sink.ts';
import { CompletionTally } from './completion-tally.ts';
import { DetourMemory } from './detour-memory.ts';
import { Dispatcher } from './dispatch-job.ts';
import { FleetTable } from './fleet-table.ts';
import { heartbeatOf } from './heartbeat-fixture.ts';
import type { HeldBytes } from './held-bytes.ts';
import { KeptBody, roomForKeptBodies } from './kept-body.ts';
import { principalOf } from './principal-fixture.ts';
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

/** A job but for its tally, which belongs to one run. */
export const job: Omit<CompletionJob, 'tally'> = {
  requestId: 'request',
  principal: principalOf(),
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
    affinity: 7,
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
    // Of no interest here.
  }
  delta(body: Uint8Array): void {
    this.text += Delta.parse(JSON.parse(Buffer.from(body).toString('utf8'))).content;
  }
  usage(): void {
    // Of no interest here.
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

/** One attempt at the only worker of a fleet, and what it works on. */
export function attemptOf({
  name = 'request-1',
  worker = 'a',
  sink = new RecordingSink(),
  clock = () => 0,
  limitMs = 60_000,
}: AttemptParts = {}) {
  const fleet = new FleetTable(() => 0);
  fleet.heard(heartbeatOf(worker));
  const { examined } = job;
  const search = new WorkerSearch({
    fleet,
    random: () => 0,
    detours: new DetourMemory(),
    examined,
  });
  const choice = search.next();
  if (choice === undefined) throw new Error('the fleet has no worker');
  const tally = new CompletionTally(examined);
  const body = new KeptBody({ ...job, tally }, roomForKeptBodies());
  const attempt = new Attempt({
    name,
    worker: choice.worker,
    fleet,
    search,
    body,
    sink,
    tally,
    clock,
    limitMs,
  });
  return { attempt, worker: choice.worker, fleet, body };
}

/** What the worker of each offer sends, in the order of the offers; no frames: it is silent. */
type Script = readonly (readonly Frame[] | 'nobody' | 'disconnect')[];

/** A dispatcher over workers that follow a script. */
export function setUp(script: Script, workers = ['a', 'b', 'c', 'd'], room?: HeldBytes) {
  const time = { skippedMs: 0 };
  const clock = () => performance.now() + time.skippedMs;
  const fleet = new FleetTable(clock);
  for (const worker of workers) fleet.heard(heartbeatOf(worker));
  const offers: { worker: string; header: JobHeader; name: string; attempt: Attempt }[] = [];
  const ends: string[] = [];
  const carrier: AttemptCarrier & { connected: boolean } = {
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
      if (behaviour === 'nobody') attempt.end({ kind: 'nobody_listens' });
      else if (behaviour === 'disconnect') attempt.end({ kind: 'disconnected' });
      else setImmediate(() => readFrames(encodeFrames(0, behaviour), attempt.onFrame));
    },
    reconnected: () => Promise.resolve(carrier.connected),
    fleetHeard: () => Promise.resolve(),
  };
  const dispatcher = new Dispatcher(
    {
      gateway: 'gateway',
      fleet,
      carrier,
      clock,
      random: () => 0,
      queueMs: 30_000,
      runMs: 60_000,
    },
    room,
  );
  const sink = new RecordingSink();
  const gone = new AbortController();
  const tally = new CompletionTally(job.examined);
  return {
    sink,
    offers,
    ends,
    gone,
    fleet,
    carrier,
    dispatcher,
    time,
    run: (taken = { ...job }) =>
      dispatcher.dispatch(Object.assign(taken, { tally }), sink, { signal: gone.signal }),
    /** Of all runs together. */
    tally,
    offeredTo: () => offers.map(({ worker }) => worker),
    /** Whom the next job could be offered to. */
    candidates: () => fleet.candidates(job.examined.model, new Set()).map(({ id }) => id),
  };
}

export const whole = [accepted(), started(), delta('Hello'), finished()];
