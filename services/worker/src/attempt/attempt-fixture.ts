import { FrameKind, type Frame, type JobHeader } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { Slots } from '../schedule/slots.ts';
import { outcomeOfStop, type AttemptOutcome, type RunAttempt } from './attempt-outcome.ts';
import type { Attempt, FrameChannel, StopReason } from './attempt.ts';
import { jobHeaderOf } from './job-header-fixture.ts';

export const logger = createLogger({ service: 'intake-test', level: 'silent' });
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const KINDS = new Map<number, string>(
  Object.entries(FrameKind).map(([name, kind]) => [kind, name]),
);

class RecordedChannel implements FrameChannel {
  readonly sent: [kind: string, body: unknown][] = [];
  /** How many frames were sent as deferred. */
  deferred = 0;
  lastSentAt = 0;
  closed = false;
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  send(...frames: readonly Frame[]): void {
    this.lastSentAt = this.#clock();
    if (this.closed) return;
    for (const { kind, body } of frames) {
      const text = Buffer.from(body).toString();
      this.sent.push([KINDS.get(kind) ?? '?', text === '' ? undefined : JSON.parse(text)]);
    }
  }

  sendDeferred(makeFrame: () => Frame): void {
    this.deferred += 1;
    this.send(makeFrame());
  }

  close(): void {
    this.closed = true;
  }

  forceGap(): void {
    throw new Error('the intake does not use the bus');
  }

  kinds(): string[] {
    return this.sent.map(([kind]) => kind);
  }
}

/** A run that ends when the test says so. */
interface Run {
  readonly attempt: Attempt;
  readonly charge: (tokens: number) => void;
  readonly stops: StopReason[];
  readonly end: (outcome: AttemptOutcome) => void;
}

export interface AttemptFixtureOptions {
  readonly slots?: number;
  readonly canWait?: boolean;
}

/** The clock, the slots and the runs of the attempts in a test. */
export class AttemptFixture {
  now = 1_000;
  readonly slots: Slots;
  /** When the runtime went down; undefined while it is up. */
  downSince: number | undefined;
  readonly runs: Run[] = [];
  #requests = 0;

  constructor({ slots = 2, canWait = true }: AttemptFixtureOptions) {
    this.slots = new Slots({ shared: false, canWait });
    this.slots.runtimeSlots = slots;
  }

  readonly run: RunAttempt = (attempt, charge) => {
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
    const stops: StopReason[] = [];
    this.runs.push({ attempt, charge, stops, end: resolve });
    attempt.onStop(() => {
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
