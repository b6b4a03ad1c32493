import type { Ending } from './judge-reply.ts';

/** Where a job is when the fault strikes. */
export const MOMENTS = [
  'queued',
  'before the first token',
  'mid-stream',
  'at the last frame',
] as const;
export type Moment = (typeof MOMENTS)[number];

export const TARGETS = ['worker', 'gateway', 'NATS', 'runtime'] as const;
export type Target = (typeof TARGETS)[number];

export type Fault =
  | { readonly signal: 'SIGTERM' | 'SIGKILL' }
  /** Frozen for `frozenMs`, then continued. */
  | { readonly signal: 'SIGSTOP'; readonly frozenMs: number };

/** The endings that a client may see, streamed and not. */
export interface Expected {
  readonly streamed: readonly Ending[];
  readonly whole: readonly Ending[];
}

export interface FaultRow {
  readonly target: Target;
  readonly fault: Fault;
  /** Counted from the signal or, for a frozen process, from its continuation. */
  readonly deadlineMs: number;
  readonly expected: Readonly<Record<Moment, Expected>>;
}

function endings(streamed: readonly Ending[], whole: readonly Ending[] = streamed): Expected {
  return { streamed, whole };
}

const WHOLE = endings(['whole']);
/** A job without output at its client is retried on another worker. A stream that has begun cannot be retried. */
const CUT_STREAM = endings(['error event'], ['whole']);
const CUT_OR_JUST_DONE = endings(['error event', 'whole'], ['whole']);
const NOTHING_LOST: FaultRow['expected'] = {
  queued: WHOLE,
  'before the first token': WHOLE,
  'mid-stream': WHOLE,
  'at the last frame': WHOLE,
};
const ONLY_STREAMS_CUT: FaultRow['expected'] = {
  queued: WHOLE,
  'before the first token': WHOLE,
  'mid-stream': CUT_STREAM,
  'at the last frame': CUT_OR_JUST_DONE,
};

/** Shorter than every timeout, so the only effect is a delay. */
const BLINK = { signal: 'SIGSTOP', frozenMs: 2_000 } as const;
/** Enough for a job to be retried from the start and answered. */
const DONE_AGAIN_MS = 30_000;

export const FAULT_TABLE: readonly FaultRow[] = [
  // The worker returns its queue and finishes its running jobs.
  {
    target: 'worker',
    fault: { signal: 'SIGTERM' },
    deadlineMs: DONE_AGAIN_MS,
    expected: NOTHING_LOST,
  },
  // The heartbeat of the worker is late, and NATS reports that it has no subscription.
  {
    target: 'worker',
    fault: { signal: 'SIGKILL' },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },
  { target: 'worker', fault: BLINK, deadlineMs: DONE_AGAIN_MS, expected: NOTHING_LOST },
  {
    target: 'worker',
    fault: { signal: 'SIGSTOP', frozenMs: 9_000 },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },

  // The gateway serves its requests to their end.
  {
    target: 'gateway',
    fault: { signal: 'SIGTERM' },
    deadlineMs: DONE_AGAIN_MS,
    expected: NOTHING_LOST,
  },
  {
    target: 'gateway',
    fault: { signal: 'SIGKILL' },
    deadlineMs: 5_000,
    expected: {
      queued: endings(['broken']),
      'before the first token': endings(['broken']),
      'mid-stream': endings(['broken']),
      'at the last frame': endings(['broken', 'whole']),
    },
  },
  { target: 'gateway', fault: BLINK, deadlineMs: DONE_AGAIN_MS, expected: NOTHING_LOST },
  // The freeze is longer than the gateway's lease. The workers finish the answers before the lease expires, and the
  // frames wait for the gateway.
  {
    target: 'gateway',
    fault: { signal: 'SIGSTOP', frozenMs: 12_000 },
    deadlineMs: DONE_AGAIN_MS,
    expected: NOTHING_LOST,
  },

  // NATS is back at once. Every service loses its connection, and messages in flight are lost.
  {
    target: 'NATS',
    fault: { signal: 'SIGTERM' },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },
  {
    target: 'NATS',
    fault: { signal: 'SIGKILL' },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },
  { target: 'NATS', fault: BLINK, deadlineMs: DONE_AGAIN_MS, expected: NOTHING_LOST },
  // The services drop their connections in the meantime, and a job waits five seconds for a reconnect.
  {
    target: 'NATS',
    fault: { signal: 'SIGSTOP', frozenMs: 9_000 },
    deadlineMs: DONE_AGAIN_MS,
    expected: {
      queued: endings(['whole', 'http error']),
      'before the first token': endings(['whole', 'http error']),
      'mid-stream': endings(['error event'], ['whole', 'http error']),
      'at the last frame': endings(['error event', 'whole'], ['whole', 'http error']),
    },
  },

  // The connections of the runtime break, which its worker reports at once.
  {
    target: 'runtime',
    fault: { signal: 'SIGTERM' },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },
  {
    target: 'runtime',
    fault: { signal: 'SIGKILL' },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },
  { target: 'runtime', fault: BLINK, deadlineMs: DONE_AGAIN_MS, expected: NOTHING_LOST },
  // The worker waits four seconds for a runtime that is silent mid-answer, and eight before the first token.
  {
    target: 'runtime',
    fault: { signal: 'SIGSTOP', frozenMs: 12_000 },
    deadlineMs: DONE_AGAIN_MS,
    expected: ONLY_STREAMS_CUT,
  },
];

export function describeFault({ target, fault }: FaultRow): string {
  return fault.signal === 'SIGSTOP'
    ? `${target} frozen for ${fault.frozenMs / 1_000} s`
    : `${target} ended by ${fault.signal}`;
}
