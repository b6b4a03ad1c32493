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
  /** Frozen for so long, and then let go on. */
  | { readonly signal: 'SIGSTOP'; readonly frozenMs: number };

/** The endings that a client may see, streamed and not. */
export interface Expected {
  readonly streamed: readonly Ending[];
  readonly whole: readonly Ending[];
}

export interface FaultRow {
  readonly target: Target;
  readonly fault: Fault;
  /** Counted from the signal, or for a frozen process from its waking up. */
  readonly deadlineMs: number;
  readonly expected: Readonly<Record<Moment, Expected>>;
}

function endings(streamed: readonly Ending[], whole: readonly Ending[] = streamed): Expected {
  return { streamed, whole };
}

const WHOLE = endings(['whole']);
/** What nobody has seen anything of is done again elsewhere; a stream that has begun cannot be. */
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

/** Shorter than anybody's patience: nothing is to be noticed but a delay. */
const BLINK = { signal: 'SIGSTOP', frozenMs: 2_000 } as const;
/** For a job to be done again from its beginning, with the time that its answer takes and some more. */
const DONE_AGAIN_MS = 30_000;

export const FAULT_TABLE: readonly FaultRow[] = [
  // It hands back what waits and finishes what runs.
  {
    target: 'worker',
    fault: { signal: 'SIGTERM' },
    deadlineMs: DONE_AGAIN_MS,
    expected: NOTHING_LOST,
  },
  // Its heartbeat is late, and the bus says that it is gone.
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

  // It serves to the end what it has taken.
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
  // Longer than a worker waits for its word, but the answers were finished before: they are waiting for it.
  {
    target: 'gateway',
    fault: { signal: 'SIGSTOP', frozenMs: 12_000 },
    deadlineMs: DONE_AGAIN_MS,
    expected: NOTHING_LOST,
  },

  // It is back at once. Everybody noticed; what was under way on the bus is lost.
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
  // Connections are given up meanwhile, and a job waits five seconds for the next.
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

  // Its connections break, which its worker tells at once.
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
  // The worker gives a silent runtime four seconds in the middle of an answer, and eight before it.
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
