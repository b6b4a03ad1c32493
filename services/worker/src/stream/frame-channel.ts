import { FRAME_HEADER_BYTES, FrameKind, encodeFrames, frame, type Frame } from '@sluice/contracts';
import type { FrameChannel } from '../attempt/attempt.ts';

/** The part of the bus that sends frames. */
export interface FramePublisher {
  readonly maxPayload: number;
  publish(subject: string, payload: Uint8Array): void;
}

/** Decides when the frames of each channel are published, and calls its `flush` then. */
export interface FrameScheduler {
  /** At the end of this turn of the event loop, together with all channels that wait for the rate limit. */
  flushThisTurn(channel: AttemptChannel): void;
  /** At the end of this turn, or later if the worker is busy. */
  flushAtRateLimit(channel: AttemptChannel): void;
  /** About 25 ms later, unless other frames flush the channel earlier. */
  flushDeferred(channel: AttemptChannel): void;
  /** Publishes a message at once. */
  publish(subject: string, payload: Uint8Array): void;
}

export interface ChannelOptions {
  readonly clock: () => number;
  /** Called when nothing more can be sent: the bus is disconnected, or a frame is too large for a message. */
  readonly onBroken: (error: unknown) => void;
}

const TICK = frame(FrameKind.tick);

/** The numbered frames of one attempt. */
export class AttemptChannel implements FrameChannel {
  readonly #scheduler: FrameScheduler;
  readonly #subject: string;
  readonly #options: ChannelOptions;
  #pending: (Frame | (() => Frame))[] = [];
  #scheduled = false;
  /** A delta was sent, so that later frames may wait for the rate limit. */
  #begun = false;
  #nextNumber = 0;
  #lastSentAt: number;
  #closed = false;

  constructor(scheduler: FrameScheduler, subject: string, options: ChannelOptions) {
    this.#scheduler = scheduler;
    this.#subject = subject;
    this.#options = options;
    this.#lastSentAt = options.clock();
  }

  /** When `send` or `sendDeferred` was last called. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  send(...frames: readonly Frame[]): void {
    if (this.#closed || frames.length === 0) return;
    this.#lastSentAt = this.#options.clock();
    if (!this.#scheduled) {
      this.#scheduled = true;
      if (this.#begun) this.#scheduler.flushAtRateLimit(this);
      else this.#scheduler.flushThisTurn(this);
    }
    for (const frame of frames) this.#pending.push(frame);
  }

  sendDeferred(makeFrame: () => Frame): void {
    if (this.#closed) return;
    this.#lastSentAt = this.#options.clock();
    if (!this.#scheduled) this.#scheduler.flushDeferred(this);
    this.#pending.push(makeFrame);
  }

  /** Drops pending and later frames, because the gateway no longer needs them. */
  close(): void {
    this.#closed = true;
    this.#pending = [];
  }

  forceGap(): void {
    this.#scheduler.publish(this.#subject, encodeFrames(this.#nextNumber + 1, [TICK]));
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
      // No frame may follow. The gateway notices the gap in the numbers and fails the attempt.
      this.#closed = true;
      this.#options.onBroken(error);
    }
  }
}

/**
 * Splits frames into messages of at most `limit` bytes. A larger frame is a message of its own, which the bus refuses.
 */
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
