import { afterTurns } from '@sluice/service';

/**
 * An admission is sent at the end of a turn of the event loop. gRPC writes it in the next turn, and its answer is read
 * in the third or fourth. An answer counts as late only after this number of turns, because long turns of a busy process
 * do not mean that the other side is slow.
 */
export const TURNS_TO_ANSWER = 4;

export interface AnswerWatchOptions {
  /** How long the other side may send nothing while an answer is missing. */
  readonly limitMs: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly onSlow: () => void;
}

/** Detects that the other side sends nothing while answers are missing. Uses one timer for any number of answers. */
export class AnswerWatch {
  readonly #options: AnswerWatchOptions;
  #missing = 0;
  /** When the last message arrived, or when an answer was first expected after none was missing. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: AnswerWatchOptions) {
    this.#options = options;
  }

  /** Call it when messages are sent that the other side has to answer. */
  expect(answers: number): void {
    if (this.#missing === 0) this.#since = this.#options.clock();
    this.#missing += answers;
    if (this.#timer === undefined) this.#arm(this.#options.limitMs);
  }

  /** Call it when a message with this number of answers has arrived. */
  received(answers: number, now: number): void {
    this.#missing -= answers;
    this.#since = now;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Starts the timer. It is not stopped after the last answer, because it would cost more to start and clear a timer
   * for each admission.
   */
  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => afterTurns(TURNS_TO_ANSWER, () => this.#check()), delayMs);
  }

  #check(): void {
    this.#timer = undefined;
    if (this.#stopped || this.#missing === 0) return;
    const { limitMs, clock, onSlow } = this.#options;
    const left = this.#since + limitMs - clock();
    if (left > 0) this.#arm(left);
    else onSlow();
  }
}
