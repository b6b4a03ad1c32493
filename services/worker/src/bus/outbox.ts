import {
  AttemptChannel,
  type ChannelOptions,
  type ChannelOutlet,
  type FramePublisher,
} from './attempt-channel.ts';
import { FlushPace } from './flush-pace.ts';

/**
 * How long a frame that nobody waits for may wait for company: longer than a small answer takes on a busy runtime,
 * and a tenth of what a gateway waits for a word before it looks for another worker.
 */
const SOON_MS = 25;

/**
 * Collects what a turn of the event loop produces, for every attempt, and publishes it when the turn ends: one
 * message an attempt. A worker that is busy publishes what follows the first piece of an answer at a pace.
 */
export class Outbox implements ChannelOutlet {
  readonly #publisher: FramePublisher;
  readonly #pace = new FlushPace(performance.now());
  #waiting = new Set<AttemptChannel>();
  #scheduled: 'no' | 'this turn' | 'in a moment' = 'no';
  #moment: NodeJS.Timeout | undefined;
  /** Those that nobody waits for. */
  #patient: AttemptChannel[] = [];

  constructor(publisher: FramePublisher) {
    this.#publisher = publisher;
  }

  open(subject: string, options: ChannelOptions): AttemptChannel {
    return new AttemptChannel(this, subject, options);
  }

  flushThisTurn(channel: AttemptChannel): void {
    this.#waiting.add(channel);
    if (this.#scheduled !== 'this turn') this.#scheduleThisTurn();
  }

  flushAtPace(channel: AttemptChannel): void {
    this.#waiting.add(channel);
    if (this.#scheduled !== 'no') return;
    const delayMs = this.#pace.delayOfNext(performance.now());
    if (delayMs === 0) {
      this.#scheduleThisTurn();
      return;
    }
    this.#scheduled = 'in a moment';
    this.#moment = setTimeout(() => this.flush(), delayMs);
  }

  flushSoon(channel: AttemptChannel): void {
    if (this.#patient.length === 0) setTimeout(() => this.#flushPatient(), SOON_MS);
    this.#patient.push(channel);
  }

  publish(subject: string, payload: Uint8Array): void {
    this.#publisher.publish(subject, payload);
  }

  /** Whatever waits for its turn or its moment. */
  flush(): void {
    clearTimeout(this.#moment);
    this.#scheduled = 'no';
    const channels = this.#waiting;
    this.#waiting = new Set();
    for (const channel of channels) channel.flush(this.#publisher);
  }

  #scheduleThisTurn(): void {
    this.#scheduled = 'this turn';
    setImmediate(() => this.flush());
  }

  #flushPatient(): void {
    const channels = this.#patient;
    this.#patient = [];
    for (const channel of channels) channel.flush(this.#publisher);
  }
}
