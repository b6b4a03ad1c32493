import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { ReceivedAdmission } from './wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from './wire/decision-messages.ts';

export type AnsweredCall = ServerDuplexStream<ReceivedAdmission[], DecisionBatch>;

/** A caller that leaves this many messages unread is gone or stuck. */
const MAX_UNREAD_MESSAGES = 1_024;

/** The answering side of one stream: what was decided in a turn of the event loop leaves as one message. */
export class AnswerStream {
  readonly #call: AnsweredCall;
  #outbox: NumberedDecision[] = [];
  #unanswered = 0;
  #flushing = false;
  #draining = false;
  #callerEnded = false;
  #closed = false;

  constructor(call: AnsweredCall, onClose: () => void) {
    this.#call = call;
    const close = () => {
      if (this.#closed) return;
      this.#closed = true;
      onClose();
    };
    // Tells the caller that the stream is taken, before there is anything to answer.
    call.sendMetadata(new Metadata());
    call.on('end', () => {
      this.#callerEnded = true;
      this.#scheduleFlush();
    });
    call.on('cancelled', close);
    call.on('error', close);
    call.on('finish', close);
    // Also after a stream was given up, which says nothing else.
    call.on('close', close);
  }

  /** Nobody is there any longer to take an answer. */
  get gone(): boolean {
    return this.#closed;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** Something was taken that will be answered. */
  expect(): void {
    this.#unanswered += 1;
  }

  answer(decision: NumberedDecision): void {
    this.#unanswered -= 1;
    this.#push(decision);
  }

  /** Answers what was not taken, and so never counted. */
  answerUncounted(decision: NumberedDecision): void {
    this.#push(decision);
  }

  /** Asks the caller to send nothing more and to end its side. */
  drain(): void {
    if (this.#draining || this.#closed) return;
    this.#draining = true;
    this.#call.write({ decisions: [], draining: true });
  }

  #push(decision: NumberedDecision): void {
    this.#outbox.push(decision);
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#closed) return;
    if (this.#outbox.length > 0) {
      this.#call.write({ decisions: this.#outbox, draining: false });
      this.#outbox = [];
    }
    if (this.#call.writableLength > MAX_UNREAD_MESSAGES) this.#call.destroy();
    else if (this.#callerEnded && this.#unanswered === 0) this.#call.end();
  }
}
