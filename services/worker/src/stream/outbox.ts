import { TurnBatcher } from '@sluice/service';
import {
  AttemptChannel,
  type ChannelOptions,
  type FrameScheduler,
  type FramePublisher,
} from './frame-channel.ts';

/**
 * How long a deferred frame waits for other frames of its attempt. Even a busy runtime completes a small reply in less
 * time. A gateway waits ten times as long for `accepted` before it offers the job to another worker.
 */
const DEFERRAL_MS = 25;

/**
 * Collects the frames of all attempts during a turn of the event loop. At the end of the turn, it publishes one message
 * for each attempt with new frames. Frames after the first delta of an answer may have to wait for the rate limit.
 */
export class Outbox implements FrameScheduler {
  readonly #publisher: FramePublisher;
  readonly #rateLimit = new PublishRateLimit(performance.now());
  readonly #thisTurn = new TurnBatcher<AttemptChannel>((channels) => {
    this.#flushDelayed();
    this.#flushAll(channels);
  });
  /** Channels that wait for the rate limit. They are flushed earlier if any other channel is flushed. */
  #delayed: AttemptChannel[] = [];
  #delay: NodeJS.Timeout | undefined;
  /** Channels whose frames are not urgent. */
  #deferred: AttemptChannel[] = [];

  constructor(publisher: FramePublisher) {
    this.#publisher = publisher;
  }

  open(subject: string, options: ChannelOptions): AttemptChannel {
    return new AttemptChannel(this, subject, options);
  }

  flushThisTurn(channel: AttemptChannel): void {
    this.#thisTurn.add(channel);
  }

  flushAtRateLimit(channel: AttemptChannel): void {
    if (this.#thisTurn.size > 0) {
      // A flush at the end of this turn is due anyway.
      this.#thisTurn.add(channel);
      return;
    }
    if (this.#delayed.length === 0) {
      const delayMs = this.#rateLimit.delayOfNext(performance.now());
      if (delayMs === 0) {
        this.#thisTurn.add(channel);
        return;
      }
      this.#delay = setTimeout(() => this.#flushDelayed(), delayMs);
    }
    this.#delayed.push(channel);
  }

  flushDeferred(channel: AttemptChannel): void {
    if (this.#deferred.length === 0) setTimeout(() => this.#flushAllDeferred(), DEFERRAL_MS);
    this.#deferred.push(channel);
  }

  publish(subject: string, payload: Uint8Array): void {
    this.#publisher.publish(subject, payload);
  }

  /** Flushes all channels now, except those that have only deferred frames. */
  flush(): void {
    this.#flushDelayed();
    this.#thisTurn.flush();
  }

  #flushDelayed(): void {
    if (this.#delayed.length === 0) return;
    clearTimeout(this.#delay);
    const channels = this.#delayed;
    this.#delayed = [];
    this.#flushAll(channels);
  }

  #flushAllDeferred(): void {
    const channels = this.#deferred;
    this.#deferred = [];
    this.#flushAll(channels);
  }

  #flushAll(channels: readonly AttemptChannel[]): void {
    for (const channel of channels) channel.flush(this.#publisher);
  }
}

/** Time between two flushes of a busy worker. Measured: see docs/decisions/0013. */
const INTERVAL_MS = 5;
/** How many flushes a quiet worker may make without a delay. */
const BURST = 16;

/**
 * A token bucket for flushes. To wake NATS and the gateways costs more than to send the messages, so a busy worker
 * flushes all attempts together, 200 times a second. A quiet worker never waits.
 */
export class PublishRateLimit {
  #allowance = BURST;
  #countedAt: number;

  constructor(now: number) {
    this.#countedAt = now;
  }

  /** Counts a flush, and returns its delay in milliseconds: 0 or one interval. */
  delayOfNext(now: number): number {
    const earned = (now - this.#countedAt) / INTERVAL_MS;
    this.#countedAt = now;
    this.#allowance = Math.min(BURST, this.#allowance + earned);
    const isDue = this.#allowance >= 1;
    // The allowance has a lower bound, because a flush that was counted here may be saved: an earlier flush of another
    // channel sends its frames too.
    this.#allowance = Math.max(-1, this.#allowance - 1);
    return isDue ? 0 : INTERVAL_MS;
  }
}
