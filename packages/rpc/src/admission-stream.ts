import { AnswerWatch } from './answer-watch.ts';
import type { AdmitCall } from './quota-service.ts';
import type { SentAdmission } from './wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from './wire/decision-messages.ts';

export interface AdmissionStreamEvents {
  /** The replica took the stream: admissions may be sent. */
  readonly onOpen: () => void;
  readonly onDecision: (decision: NumberedDecision) => void;
  /** The replica wants nothing more on this stream; its answers still come. */
  readonly onDraining: () => void;
  /** It owes an answer and has not said a word for longer than an answer ever takes while all is well. */
  readonly onSlow: () => void;
  /** It has let a deadline pass without a word. */
  readonly onSilent: () => void;
  /** Nothing more will come. Called once; the error is what ended it, if anything did. */
  readonly onClose: (error: unknown) => void;
}

/**
 * An answer takes about a millisecond. To suspect a replica that is well costs nothing but a smaller batch: its
 * organizations go to another one until it says a word.
 */
const SLOW_AFTER_MS = 15;

/** One long-lived stream of admissions to one replica. */
export class AdmissionStream {
  readonly #call: AdmitCall;
  readonly #events: AdmissionStreamEvents;
  readonly #now: () => number;
  readonly #watch: AnswerWatch;
  #closed = false;
  /** When the replica last said anything. */
  #heardAt: number;

  constructor(call: AdmitCall, events: AdmissionStreamEvents, now: () => number) {
    this.#call = call;
    this.#events = events;
    this.#now = now;
    this.#heardAt = now();
    this.#watch = new AnswerWatch({ limitMs: SLOW_AFTER_MS, now, onSlow: events.onSlow });
    call.on('metadata', () => events.onOpen());
    call.on('data', (batch: DecisionBatch) => this.#receive(batch));
    // An error is followed by nothing else; an end without one is the clean close after a drain.
    call.on('error', (error) => this.#close(error));
    call.on('end', () => this.#close(undefined));
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  send(admissions: readonly SentAdmission[]): void {
    this.#watch.asked(admissions.length);
    this.#call.write(admissions);
  }

  /** The answer to somebody who has waited since then is overdue. */
  missed(since: number): void {
    if (this.#heardAt < since) this.#events.onSilent();
  }

  /** Sends nothing more and takes the answers that still come. */
  finish(): void {
    this.#call.end();
  }

  /** Gives it up at once. */
  cancel(): void {
    this.#close(undefined);
    this.#call.cancel();
  }

  #receive(batch: DecisionBatch): void {
    this.#heardAt = this.#now();
    this.#watch.heard(batch.decisions.length, this.#heardAt);
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
