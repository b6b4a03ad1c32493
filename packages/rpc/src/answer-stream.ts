import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { TurnBatcher } from '@sluice/timing';
import type { ReceivedAdmission } from './wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from './wire/decision-messages.ts';

export type AnsweredCall = ServerDuplexStream<ReceivedAdmission[], DecisionBatch>;

/** A caller that leaves this many messages unread is gone or stuck. */
const MAX_UNREAD_MESSAGES = 1_024;

/** The answering side of one stream: what was decided in a turn of the event loop leaves as one message. */
export class AnswerStream {
  readonly #call: AnsweredCall;
  readonly #outbox = new TurnBatcher<NumberedDecision>((decisions) => this.#send(decisions));
  #unanswered = 0;
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
      this.#endWhenAnswered();
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
    this.#outbox.add(decision);
  }

  /** Answers what was not taken, and so never counted. */
  answerUncounted(decision: NumberedDecision): void {
    this.#outbox.add(decision);
  }

  /** Asks the caller to send nothing more and to end its side. */
  drain(): void {
    if (this.#draining || this.#closed) return;
    this.#draining = true;
    this.#call.write({ decisions: [], draining: true });
  }

  #send(decisions: NumberedDecision[]): void {
    if (this.#closed) return;
    this.#call.write({ decisions, draining: false });
    if (this.#call.writableLength > MAX_UNREAD_MESSAGES) this.#call.destroy();
    else this.#endWhenAnswered();
  }

  #endWhenAnswered(): void {
    if (this.#closed || !this.#callerEnded) return;
    if (this.#unanswered === 0 && this.#outbox.size === 0) this.#call.end();
  }
}
