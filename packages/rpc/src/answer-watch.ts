import { afterTurns } from '@sluice/timing';

/**
 * An admission leaves at the end of a turn of the event loop, gRPC writes it in the next, and its answer is read in
 * the third or the fourth. Where turns are long, because this process is busy, the other side is not to blame.
 */
export const TURNS_TO_ANSWER = 4;

export interface AnswerWatchOptions {
  /** How long the other side may owe an answer and say nothing. */
  readonly limitMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly onSlow: () => void;
}

/** Notices that the other side owes answers and says nothing. One timer, however many answers are owed. */
export class AnswerWatch {
  readonly #options: AnswerWatchOptions;
  #owed = 0;
  /** The last word, or the question after which the first answer was owed again. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: AnswerWatchOptions) {
    this.#options = options;
  }

  asked(questions: number): void {
    if (this.#owed === 0) this.#since = this.#options.now();
    this.#owed += questions;
    if (this.#timer === undefined) this.#arm(this.#options.limitMs);
  }

  heard(answers: number, now: number): void {
    this.#owed -= answers;
    this.#since = now;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** The timer runs on after the last answer: arming and clearing one for each question would cost more. */
  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => afterTurns(TURNS_TO_ANSWER, () => this.#look()), delayMs);
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#stopped || this.#owed === 0) return;
    const { limitMs, now, onSlow } = this.#options;
    const left = this.#since + limitMs - now();
    if (left > 0) this.#arm(left);
    else onSlow();
  }
}
