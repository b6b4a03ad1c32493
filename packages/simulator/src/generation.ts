import type { AnswerPlan, PlannedAnswer } from './answer.ts';
import type { CachedSequence } from './prefix-cache.ts';
import { type Fault, orderedFault } from './steering.ts';
import type { TimedEntry } from './timer-wheel.ts';

// Without a pause between tokens, a turn of the event loop yields this many a stream.
const unpacedBatch = 32;

/** Where a generation's tokens go. */
export interface Reply {
  /** Whether it wants tokens as they come; otherwise it is told once, at the end. */
  readonly stepwise: boolean;
  begin(cachedTokens: number): void;
  /** The first `produced` tokens exist; `concluded` comes once, with the last of them. */
  deliver(produced: number, concluded: boolean): void;
}

/** One answer on its way, from the waiting line to its end. */
export class Generation implements TimedEntry {
  due: number | null = null;
  phase: 'waiting' | 'running' | 'over' = 'waiting';
  produced = 0;
  firstTokenAt = 0;
  /** All of its tokens are out, and its end is ordered for later. */
  ending = false;
  readonly acceptedAtMs = Date.now();
  cached: CachedSequence | undefined;
  /** Let go of once it has been looked up. */
  prompt: readonly number[];
  readonly plan: AnswerPlan;
  readonly reply: Reply;
  readonly fault: Fault | undefined;
  /** How many tokens it makes before it ends or its fault strikes. */
  readonly limit: number;
  readonly betweenTokensMs: number;
  readonly #step: (generation: Generation, now: number) => void;

  constructor(
    { plan, prompt }: PlannedAnswer,
    reply: Reply,
    usual: { betweenTokensMs: number; step: (generation: Generation, now: number) => void },
  ) {
    this.plan = plan;
    this.prompt = prompt;
    this.reply = reply;
    this.fault = orderedFault(plan.orders);
    this.limit = Math.min(plan.tokens, this.fault?.after ?? plan.tokens);
    this.betweenTokensMs = plan.orders.itl_ms ?? usual.betweenTokensMs;
    this.#step = usual.step;
  }

  run(now: number): void {
    this.#step(this, now);
  }

  producedBy(now: number): number {
    if (now < this.firstTokenAt) return 0;
    if (this.betweenTokensMs === 0) return Math.min(this.limit, this.produced + unpacedBatch);
    // The small addition makes up for what division loses of a whole number.
    const steps = Math.floor((now - this.firstTokenAt) / this.betweenTokensMs + 1e-6);
    return Math.min(this.limit, 1 + steps);
  }
}
