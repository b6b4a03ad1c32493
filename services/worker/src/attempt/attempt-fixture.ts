import { FrameKind, type Frame, type JobHeader } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { outcomeOfStop, type AttemptOutcome, type RunAttempt } from './attempt-outcome.ts';
import type { Attempt, FrameChannel, StopReason } from './attempt.ts';
import { jobHeaderOf } from './job-header-fixture.ts';
import { Slots } from './slots.ts';

export const logger = createLogger({ service: 'desk-test', level: 'silent' });
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const KINDS = new Map<number, string>(
  Object.entries(FrameKind).map(([name, kind]) => [kind, name]),
);

class RecordedChannel implements FrameChannel {
  readonly sent: [kind: string, body: unknown][] = [];
  /** How many of them may wait for others. */
  unhurried = 0;
  lastSentAt = 0;
  closed = false;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  send(...frames: readonly Frame[]): void {
    this.lastSentAt = this.#now();
    if (this.closed) return;
    for (const { kind, body } of frames) {
      const text = Buffer.from(body).toString();
      this.sent.push([KINDS.get(kind) ?? '?', text === '' ? undefined : JSON.parse(text)]);
    }
  }

  sendSoon(makeFrame: () => Frame): void {
    this.unhurried += 1;
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

export interface RunStandOptions {
  readonly slots?: number;
  readonly canWait?: boolean;
}

/** What surrounds the attempts of a test: its clock, its slots, and their runs. */
export class RunStand {
  now = 1_000;
  readonly slots: Slots;
  /** Since when the runtime has been down, if it is. */
  downSince: number | undefined;
  readonly runs: Run[] = [];
  #requests = 0;

  constructor({ slots = 2, canWait = true }: RunStandOptions) {
    this.slots = new Slots({ shared: false, canWait });
    this.slots.runtimeSlots = slots;
  }

  readonly run: RunAttempt = (attempt, charge) => {
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
    const stops: StopReason[] = [];
    this.runs.push({ attempt, charge, stops, end: resolve });
    attempt.signal.addEventListener('abort', () => {
      if (attempt.stopReason === undefined) return;
      stops.push(attempt.stopReason);
      resolve(outcomeOfStop(attempt.stopReason));
    });
    return promise;
  };

  jobDetails(
    organization = 'a',
    header: Partial<JobHeader> = {},
    body: Uint8Array = new Uint8Array(40),
  ) {
    this.#requests += 1;
    const full = jobHeaderOf({ request: `r${this.#requests}`, organization, ...header });
    const channel = new RecordedChannel(() => this.now);
    return { header: full, body, channel, arrivedAt: this.now, trace: undefined };
  }

  async endAll(): Promise<void> {
    for (let index = 0; index < this.runs.length; index += 1) {
      this.runs[index]?.end(finished);
      await settle();
    }
  }
}

export const usage = { input_tokens: 6, cached_tokens: 0, output_tokens: 4, reasoning_tokens: 0 };
export const finished = {
  kind: 'finished',
  frames: [],
  finishReason: 'stop',
  usage,
} satisfies AttemptOutcome;
