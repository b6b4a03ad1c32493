import { FrameKind, type Frame, type JobHeader } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { outcomeOfStop, type AttemptOutcome } from './attempt-outcome.ts';
import type { Attempt, AttemptEnd, FrameChannel, StopReason } from './attempt.ts';
import { JobDesk } from './job-desk.ts';
import { jobHeaderOf } from './job-header-fixture.ts';

export const logger = createLogger({ service: 'desk-test', level: 'silent' });
const KINDS = new Map<number, string>(
  Object.entries(FrameKind).map(([name, kind]) => [kind, name]),
);

class RecordedChannel implements FrameChannel {
  readonly sent: [kind: string, body: unknown][] = [];
  lastSentAt = 0;
  closed = false;

  send(...frames: readonly Frame[]): void {
    this.lastSentAt = stand.now;
    if (this.closed) return;
    for (const { kind, body } of frames) {
      const text = Buffer.from(body).toString();
      this.sent.push([KINDS.get(kind) ?? '?', text === '' ? undefined : JSON.parse(text)]);
    }
  }

  sendSoon(makeFrame: () => Frame): void {
    this.send(makeFrame());
  }

  close(): void {
    this.closed = true;
  }

  showGap(): void {
    throw new Error('a desk does not know of the bus');
  }

  kinds(): string[] {
    return this.sent.map(([kind]) => kind);
  }
}

/** A run that a test ends by hand. */
interface Run {
  readonly attempt: Attempt;
  readonly charge: (tokens: number) => void;
  readonly stops: StopReason[];
  readonly end: (outcome: AttemptOutcome) => void;
}

/** The desk of a test, its surroundings, and what has come of it. */
interface DeskStand {
  now: number;
  slots: number;
  queueLimit: number;
  startsNothing: boolean;
  downSince: number | undefined;
  desk: JobDesk;
  runs: Run[];
  ended: [name: string, end: AttemptEnd][];
}

let requests = 0;
export const stand: DeskStand = freshStand();

/** Each test has a desk of its own. */
export function setUpDesk(): void {
  Object.assign(stand, freshStand());
}

function freshStand(): DeskStand {
  return {
    now: 1_000,
    slots: 2,
    queueLimit: 3,
    startsNothing: false,
    downSince: undefined,
    runs: [],
    ended: [],
    desk: newDesk(),
  };
}

function newDesk(): JobDesk {
  return new JobDesk({
    slots: () => stand.slots,
    startsNothing: () => stand.startsNothing,
    get queueLimit() {
      return stand.queueLimit;
    },
    stall: { firstWordMs: 5_000, firstWordWhileDownMs: 1_000, betweenWordsMs: 1_000 },
    now: () => stand.now,
    downSince: () => stand.downSince,
    logger,
    onEnd: (attempt, end) => stand.ended.push([attempt.name, end]),
    run: recordRun,
  });
}

export function recordRun(
  attempt: Attempt,
  charge: (tokens: number) => void,
): Promise<AttemptOutcome> {
  const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
  const stops: StopReason[] = [];
  stand.runs.push({ attempt, charge, stops, end: resolve });
  attempt.onStop((reason) => {
    stops.push(reason);
    resolve(outcomeOfStop(reason));
  });
  return promise;
}

export const usage = { input_tokens: 6, cached_tokens: 0, output_tokens: 4, reasoning_tokens: 0 };
export const finished = {
  kind: 'finished',
  frames: [],
  finishReason: 'stop',
  usage,
} satisfies AttemptOutcome;
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

export function jobDetails(
  organization = 'a',
  header: Partial<JobHeader> = {},
  body: Uint8Array = new Uint8Array(40),
) {
  requests += 1;
  const full = jobHeaderOf({ request: `r${requests}`, organization, ...header });
  const channel = new RecordedChannel();
  return { header: full, body, channel, arrivedAt: stand.now, trace: undefined };
}

export function offer(organization?: string, header?: Partial<JobHeader>, body?: Uint8Array) {
  const details = jobDetails(organization, header, body);
  stand.desk.take(details);
  const { request, attempt } = details.header;
  return { channel: details.channel, name: `${request}-${attempt}` };
}

export async function endAll(): Promise<void> {
  for (let index = 0; index < stand.runs.length; index += 1) {
    stand.runs[index]?.end(finished);
    await settle();
  }
}

/** What a desk holds when nothing is under way. */
export const nothing = { attempts: 0, running: 0, queued: 0, organizations: 0 };
