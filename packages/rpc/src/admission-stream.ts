import { AnswerWatch } from './answer-watch.ts';
import type { AdmitCall } from './quota-service.ts';
import type { SentAdmission } from './wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from './wire/decision-messages.ts';

export interface AdmissionStreamEvents {
  /** The replica has accepted the stream, so admissions may be sent. */
  readonly onOpen: () => void;
  readonly onDecision: (decision: NumberedDecision) => void;
  /** The replica accepts nothing more on this stream. Its answers still arrive. */
  readonly onDraining: () => void;
  /** An answer is overdue: the replica has sent nothing for longer than an answer takes in normal operation. */
  readonly onSlow: () => void;
  /** An admission has missed its deadline, and the replica has sent nothing since it was asked. */
  readonly onSilent: () => void;
  /** Nothing more will arrive. Called once. The error is undefined after a clean end. */
  readonly onClose: (error: unknown) => void;
}

/**
 * An answer usually takes about a millisecond. If a healthy replica is suspected wrongly, its organizations use another
 * replica until its next message, which only makes batches smaller.
 */
const SLOW_AFTER_MS = 15;

/** One long-lived stream of admissions to one replica. */
export class AdmissionStream {
  readonly #call: AdmitCall;
  readonly #events: AdmissionStreamEvents;
  readonly #clock: () => number;
  readonly #watch: AnswerWatch;
  #closed = false;
  /** When the last message of the replica arrived. */
  #lastMessageAt: number;

  constructor(call: AdmitCall, events: AdmissionStreamEvents, clock: () => number) {
    this.#call = call;
    this.#events = events;
    this.#clock = clock;
    this.#lastMessageAt = clock();
    this.#watch = new AnswerWatch({ limitMs: SLOW_AFTER_MS, clock, onSlow: events.onSlow });
    call.on('metadata', () => events.onOpen());
    call.on('data', (batch: DecisionBatch) => this.#receive(batch));
    // An error is always the last event. An end without an error is the clean close after a drain.
    call.on('error', (error) => this.#close(error));
    call.on('end', () => this.#close(undefined));
  }

  get lastMessageAt(): number {
    return this.#lastMessageAt;
  }

  send(admissions: readonly SentAdmission[]): void {
    this.#watch.expect(admissions.length);
    this.#call.write(admissions);
  }

  /** Call it when an admission misses its deadline. `since` is when it began to wait. */
  missed(since: number): void {
    if (this.#lastMessageAt < since) this.#events.onSilent();
  }

  /** Sends nothing more, but still receives answers. */
  finish(): void {
    this.#call.end();
  }

  /** Ends the stream at once. */
  cancel(): void {
    this.#close(undefined);
    this.#call.cancel();
  }

  #receive(batch: DecisionBatch): void {
    this.#lastMessageAt = this.#clock();
    this.#watch.received(batch.decisions.length, this.#lastMessageAt);
    for (const decision of batch.decisions) this.#events.onDecision(decision);
    if (batch.draining) this.#events.onDraining();
  }

  #close(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.stop();
    this.#events.onClose(error);
  }
}
