import { FRAME_HEADER_BYTES, FrameKind, encodeFrames, frame, type Frame } from '@sluice/contracts';
import { FlushPace } from './flush-pace.ts';

/** What the outbox needs of the bus. */
export interface FramePublisher {
  readonly maxPayload: number;
  publish(subject: string, payload: Uint8Array): void;
}

/**
 * How long a frame that nobody waits for may wait for company: longer than a small answer takes on a busy runtime,
 * and a tenth of what a gateway waits for a word before it looks for another worker.
 */
const SOON_MS = 25;
const TICK = frame(FrameKind.tick);

/**
 * Collects what a turn of the event loop produces, for every attempt, and publishes it when the turn ends: one
 * message an attempt. A worker that is busy publishes what follows the first piece of an answer at a pace.
 */
export class Outbox {
  readonly #publisher: FramePublisher;
  readonly #pace = new FlushPace(performance.now());
  #waiting = new Set<AttemptChannel>();
  #scheduled: 'no' | 'this turn' | 'in a moment' = 'no';
  #moment: NodeJS.Timeout | undefined;
  #patient: AttemptChannel[] = [];

  constructor(publisher: FramePublisher) {
    this.#publisher = publisher;
  }

  get maxPayload(): number {
    return this.#publisher.maxPayload;
  }

  open(subject: string, options: ChannelOptions): AttemptChannel {
    return new AttemptChannel(this, subject, options);
  }

  /** At the end of this turn, and with it whatever waits. */
  scheduleNow(channel: AttemptChannel): void {
    this.#waiting.add(channel);
    if (this.#scheduled !== 'this turn') this.#flushThisTurn();
  }

  /** The same, or a moment later if the worker is busy. */
  schedule(channel: AttemptChannel): void {
    this.#waiting.add(channel);
    if (this.#scheduled !== 'no') return;
    const delayMs = this.#pace.delayOfNext(performance.now());
    if (delayMs === 0) {
      this.#flushThisTurn();
      return;
    }
    this.#scheduled = 'in a moment';
    this.#moment = setTimeout(() => this.flush(), delayMs);
  }

  #flushThisTurn(): void {
    this.#scheduled = 'this turn';
    setImmediate(() => this.flush());
  }

  /** At once, whatever else waits. */
  publish(subject: string, payload: Uint8Array): void {
    this.#publisher.publish(subject, payload);
  }

  scheduleSoon(channel: AttemptChannel): void {
    if (this.#patient.length === 0) setTimeout(() => this.#flushPatient(), SOON_MS);
    this.#patient.push(channel);
  }

  #flushPatient(): void {
    const channels = this.#patient;
    this.#patient = [];
    for (const channel of channels) channel.flush(this.#publisher);
  }

  flush(): void {
    clearTimeout(this.#moment);
    this.#scheduled = 'no';
    const channels = this.#waiting;
    this.#waiting = new Set();
    for (const channel of channels) channel.flush(this.#publisher);
  }
}

export interface ChannelOptions {
  readonly now: () => number;
  /** Nothing more can be sent on it: the bus is gone, or a frame is larger than it takes. */
  readonly onBroken: (error: unknown) => void;
}

/** The numbered frames of one attempt. */
export class AttemptChannel {
  readonly #outbox: Outbox;
  readonly #subject: string;
  readonly #options: ChannelOptions;
  #pending: (Frame | (() => Frame))[] = [];
  #scheduled = false;
  /** A piece of the answer has been sent: what follows may wait for company. */
  #begun = false;
  #nextNumber = 0;
  #lastSentAt: number;
  #closed = false;

  constructor(outbox: Outbox, subject: string, options: ChannelOptions) {
    this.#outbox = outbox;
    this.#subject = subject;
    this.#options = options;
    this.#lastSentAt = options.now();
  }

  /** When something was last sent, or is about to be. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  send(...frames: readonly Frame[]): void {
    if (this.#closed || frames.length === 0) return;
    this.#lastSentAt = this.#options.now();
    if (!this.#scheduled) {
      this.#scheduled = true;
      if (this.#begun) this.#outbox.schedule(this);
      else this.#outbox.scheduleNow(this);
    }
    for (const frame of frames) this.#pending.push(frame);
  }

  /** With the next frames, or by itself a moment later; made when it leaves. */
  sendSoon(makeFrame: () => Frame): void {
    if (this.#closed) return;
    this.#lastSentAt = this.#options.now();
    if (!this.#scheduled) this.#outbox.scheduleSoon(this);
    this.#pending.push(makeFrame);
  }

  /** Frames that still wait are dropped: nobody listens any more. */
  close(): void {
    this.#closed = true;
    this.#pending = [];
  }

  showGap(): void {
    this.#outbox.publish(this.#subject, encodeFrames(this.#nextNumber + 1, [TICK]));
  }

  flush(publisher: FramePublisher): void {
    const frames = this.#pending.map((frame) => (typeof frame === 'function' ? frame() : frame));
    this.#pending = [];
    this.#scheduled = false;
    this.#begun ||= frames.some(({ kind }) => kind === FrameKind.delta);
    try {
      for (const batch of batchesWithin(publisher.maxPayload, frames)) {
        publisher.publish(this.#subject, encodeFrames(this.#nextNumber, batch));
        this.#nextNumber += batch.length;
      }
    } catch (error) {
      // A gap in the numbers fails the attempt at the gateway too, whatever else is heard.
      this.#closed = true;
      this.#options.onBroken(error);
    }
  }
}

function batchesWithin(limit: number, frames: Frame[]): Frame[][] {
  let size = 0;
  for (const { body } of frames) size += FRAME_HEADER_BYTES + body.length;
  if (size <= limit) return frames.length === 0 ? [] : [frames];
  const batches: Frame[][] = [];
  let batch: Frame[] = [];
  let batchSize = 0;
  for (const frame of frames) {
    const frameSize = FRAME_HEADER_BYTES + frame.body.length;
    if (batch.length > 0 && batchSize + frameSize > limit) {
      batches.push(batch);
      batch = [];
      batchSize = 0;
    }
    batch.push(frame);
    batchSize += frameSize;
  }
  batches.push(batch);
  return batches;
}
