import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { TurnBatcher } from '@sluice/service';
import type { ReceivedAdmission } from './wire/admission-messages.ts';
import type { DecisionBatch, NumberedDecision } from './wire/decision-messages.ts';

export type AnsweredCall = ServerDuplexStream<ReceivedAdmission[], DecisionBatch>;

/** The stream is closed if the caller leaves this many messages unread. */
const MAX_UNREAD_MESSAGES = 1_024;

/** The side of a stream that answers. All decisions of one turn of the event loop are sent as one message. */
export class DecisionStream {
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
    // Tells the caller that the stream is accepted, before the first answer.
    call.sendMetadata(new Metadata());
    call.on('end', () => {
      this.#callerEnded = true;
      this.#endWhenAnswered();
    });
    call.on('cancelled', close);
    call.on('error', close);
    call.on('finish', close);
    // If the stream was destroyed, `close` is the only event.
    call.on('close', close);
  }

  /** True after the stream was closed: answers can no longer be delivered. */
  get gone(): boolean {
    return this.#closed;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** Counts an admission that will be answered. */
  expect(): void {
    this.#unanswered += 1;
  }

  answer(decision: NumberedDecision): void {
    this.#unanswered -= 1;
    this.#outbox.add(decision);
  }

  /** Answers an admission that was not accepted, and so never counted. */
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
