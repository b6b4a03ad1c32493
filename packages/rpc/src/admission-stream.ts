import type { AdmitCall } from './quota-service.ts';
import type { SentAdmission } from './wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from './wire/decision-messages.ts';

export interface AdmissionStreamEvents {
  /** The replica took the stream: admissions may be sent. */
  readonly onOpen: () => void;
  readonly onDecision: (decision: NumberedDecision) => void;
  /** The replica wants nothing more on this stream; its answers still come. */
  readonly onDraining: () => void;
  /** It has let a deadline pass without a word. */
  readonly onSilent: () => void;
  /** Nothing more will come. Called once; the error is what ended it, if anything did. */
  readonly onClose: (error: unknown) => void;
}

/** One long-lived stream of admissions to one replica. */
export class AdmissionStream {
  readonly #call: AdmitCall;
  readonly #events: AdmissionStreamEvents;
  readonly #now: () => number;
  #closed = false;
  /** When the replica last said anything. */
  #heardAt: number;

  constructor(call: AdmitCall, events: AdmissionStreamEvents, now: () => number) {
    this.#call = call;
    this.#events = events;
    this.#now = now;
    this.#heardAt = now();
    call.on('metadata', () => events.onOpen());
    call.on('data', (batch: DecisionBatch) => this.#receive(batch));
    // An error is followed by nothing else; an end without one is the clean close after a drain.
    call.on('error', (error) => this.#close(error));
    call.on('end', () => this.#close(undefined));
  }

  send(admissions: readonly SentAdmission[]): void {
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
    for (const decision of batch.decisions) this.#events.onDecision(decision);
    if (batch.draining) this.#events.onDraining();
  }

  #close(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.onClose(error);
  }
}
