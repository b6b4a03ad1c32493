import { FRAME_HEADER_BYTES, FrameKind, encodeFrames, frame, type Frame } from '@sluice/contracts';
import type { FrameChannel } from '../domain/attempt.ts';

/** What is needed of the bus. */
export interface FramePublisher {
  readonly maxPayload: number;
  publish(subject: string, payload: Uint8Array): void;
}

/** Whoever flushes the channels of all attempts, each in its time. */
export interface ChannelOutlet {
  /** At the end of this turn of the event loop, and with it whatever waits. */
  flushThisTurn(channel: AttemptChannel): void;
  /** The same, or a moment later if the worker is busy. */
  flushAtPace(channel: AttemptChannel): void;
  /** Some time later, unless it is flushed before: nobody waits for it. */
  flushSoon(channel: AttemptChannel): void;
  /** At once, whatever else waits. */
  publish(subject: string, payload: Uint8Array): void;
}

export interface ChannelOptions {
  readonly now: () => number;
  /** Nothing more can be sent on it: the bus is gone, or a frame is larger than it takes. */
  readonly onBroken: (error: unknown) => void;
}

const TICK = frame(FrameKind.tick);

/** The numbered frames of one attempt. */
export class AttemptChannel implements FrameChannel {
  readonly #outlet: ChannelOutlet;
  readonly #subject: string;
  readonly #options: ChannelOptions;
  #pending: (Frame | (() => Frame))[] = [];
  #scheduled = false;
  /** A piece of the answer has been sent: what follows may wait for company. */
  #begun = false;
  #nextNumber = 0;
  #lastSentAt: number;
  #closed = false;

  constructor(outlet: ChannelOutlet, subject: string, options: ChannelOptions) {
    this.#outlet = outlet;
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
      if (this.#begun) this.#outlet.flushAtPace(this);
      else this.#outlet.flushThisTurn(this);
    }
    for (const frame of frames) this.#pending.push(frame);
  }

  sendSoon(makeFrame: () => Frame): void {
    if (this.#closed) return;
    this.#lastSentAt = this.#options.now();
    if (!this.#scheduled) this.#outlet.flushSoon(this);
    this.#pending.push(makeFrame);
  }

  /** Frames that still wait are dropped: nobody listens any more. */
  close(): void {
    this.#closed = true;
    this.#pending = [];
  }

  showGap(): void {
    this.#outlet.publish(this.#subject, encodeFrames(this.#nextNumber + 1, [TICK]));
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
