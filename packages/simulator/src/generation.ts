import type { AnswerPlan, PlannedAnswer } from './answer.ts';
import type { CachedSequence } from './prefix-cache.ts';
import { type Fault, steeredFault } from './steering.ts';
import type { TimedEntry } from './timer-wheel.ts';

// Without a pause between tokens, each stream gets this many tokens per turn of the event loop.
const unpacedBatch = 32;

/** Receives the tokens of a generation. */
export interface Reply {
  /** Whether `deliver` is called for each step. Otherwise it is called once, at the end. */
  readonly stepwise: boolean;
  begin(cachedTokens: number): void;
  /** The first `produced` tokens exist. `concluded` is true once, together with the last token. */
  deliver(produced: number, concluded: boolean): void;
}

/** One answer, from the queue to its end. */
export class Generation implements TimedEntry {
  due: number | null = null;
  phase: 'waiting' | 'running' | 'over' = 'waiting';
  produced = 0;
  firstTokenAt = 0;
  /** All tokens were delivered, and `end_ms` of the `@sim` line delays the end. */
  ending = false;
  readonly acceptedAtMs = Date.now();
  cached: CachedSequence | undefined;
  /** Cleared after the look-up in the prefix cache. */
  prompt: readonly number[];
  readonly plan: AnswerPlan;
  readonly reply: Reply;
  readonly fault: Fault | undefined;
  /** Number of tokens before the generation ends or its fault occurs. */
  readonly limit: number;
  readonly betweenTokensMs: number;
  readonly #step: (generation: Generation, now: number) => void;

  constructor(
    { plan, prompt }: PlannedAnswer,
    reply: Reply,
    defaults: { betweenTokensMs: number; step: (generation: Generation, now: number) => void },
  ) {
    this.plan = plan;
    this.prompt = prompt;
    this.reply = reply;
    this.fault = steeredFault(plan.steering);
    this.limit = Math.min(plan.tokens, this.fault?.after ?? plan.tokens);
    this.betweenTokensMs = plan.steering.itl_ms ?? defaults.betweenTokensMs;
    this.#step = defaults.step;
  }

  run(now: number): void {
    this.#step(this, now);
  }

  producedBy(now: number): number {
    if (now < this.firstTokenAt) return 0;
    if (this.betweenTokensMs === 0) return Math.min(this.limit, this.produced + unpacedBatch);
    // The small addition compensates for rounding errors of the division.
    const steps = Math.floor((now - this.firstTokenAt) / this.betweenTokensMs + 1e-6);
    return Math.min(this.limit, 1 + steps);
  }
}
