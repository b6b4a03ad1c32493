import type { PlannedAnswer } from './answer.ts';
import { generatedTokens } from './generated-tokens.ts';
import { Generation, type Reply } from './generation.ts';
import { blockSize, PrefixCache } from './prefix-cache.ts';
import { TimerWheel } from './timer-wheel.ts';

const rememberedGenerations = 1_000;

export interface EngineSettings {
  readonly slots: number;
  readonly timeToFirstTokenMs: number;
  readonly betweenTokensMs: number;
  readonly cacheBlocks: number;
}

/** Counters and gauges of the simulator. They never contain text. */
export interface SimulatorState {
  readonly running: number;
  readonly waiting: number;
  readonly accepted: number;
  readonly started: number;
  readonly finished: number;
  readonly aborted: number;
  readonly aborted_waiting: number;
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly tokens_generated: number;
  readonly prefix_cache_queried_tokens: number;
  readonly prefix_cache_hit_tokens: number;
  readonly prefix_cache_blocks: number;
}

/** A generation that has ended. Tests find it by the number of tokens in its answer. Times are Unix milliseconds. */
export interface PastGeneration {
  readonly ended: 'finished' | 'aborted' | 'failed';
  /** Tokens of the whole answer, and tokens generated before the end. */
  readonly tokens: number;
  readonly generated: number;
  readonly accepted_at_ms: number;
  readonly ended_at_ms: number;
}

/** The simulated GPU: a fixed number of slots, an unlimited queue and one clock for all generations. */
export class Engine {
  readonly #settings: EngineSettings;
  readonly #wheel = new TimerWheel();
  readonly #cache: PrefixCache;
  readonly #running = new Set<Generation>();
  readonly #waiting = new Set<Generation>();
  readonly #past: PastGeneration[] = [];
  readonly #counts = {
    accepted: 0,
    started: 0,
    finished: 0,
    aborted: 0,
    aborted_waiting: 0,
    failed: 0,
    prompt_tokens: 0,
    tokens_generated: 0,
  };

  constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#cache = new PrefixCache(settings.cacheBlocks);
  }

  submit(planned: PlannedAnswer, reply: Reply): Generation {
    const { betweenTokensMs } = this.#settings;
    const generation = new Generation(planned, reply, { betweenTokensMs, step: this.#step });
    this.#counts.accepted += 1;
    this.#waiting.add(generation);
    this.#fillSlots();
    return generation;
  }

  /** Called when the client has disconnected. The slot is free at once, in every phase of the generation. */
  abort(generation: Generation): void {
    if (generation.phase === 'over') return;
    if (generation.phase === 'waiting') this.#counts.aborted_waiting += 1;
    else if (!generation.reply.stepwise) {
      // The tokens of a reply in one piece are otherwise counted only at its end.
      this.#advance(generation, generation.producedBy(this.#wheel.now()));
    }
    this.#end(generation, 'aborted');
  }

  abortAll(): void {
    for (const generation of [...this.#waiting, ...this.#running]) this.abort(generation);
  }

  state(): SimulatorState {
    return {
      running: this.#running.size,
      waiting: this.#waiting.size,
      ...this.#counts,
      prefix_cache_queried_tokens: this.#cache.queriedTokens,
      prefix_cache_hit_tokens: this.#cache.hitTokens,
      prefix_cache_blocks: this.#cache.blocks,
    };
  }

  /** The latest generations, in the order in which they ended. */
  past(): readonly PastGeneration[] {
    return this.#past;
  }

  /** The load and cache usage of one model. */
  loadOf(model: string): { running: number; waiting: number; cacheUsage: number } {
    let running = 0;
    let blocks = 0;
    for (const { plan, produced } of this.#running) {
      if (plan.model.name !== model) continue;
      running += 1;
      blocks += Math.ceil((plan.promptTokens + produced) / blockSize);
    }
    let waiting = 0;
    for (const { plan } of this.#waiting) if (plan.model.name === model) waiting += 1;
    return { running, waiting, cacheUsage: Math.min(1, blocks / this.#settings.cacheBlocks) };
  }

  #fillSlots(): void {
    for (const generation of this.#waiting) {
      if (this.#running.size >= this.#settings.slots) return;
      this.#waiting.delete(generation);
      this.#start(generation);
    }
  }

  #start(generation: Generation): void {
    const { plan, reply, limit, betweenTokensMs } = generation;
    generation.phase = 'running';
    this.#running.add(generation);
    this.#counts.started += 1;
    this.#counts.prompt_tokens += plan.promptTokens;
    const space = `${plan.model.name}\n${plan.cacheSalt}`;
    generation.cached = this.#cache.admit(generation.prompt, space);
    generation.prompt = [];
    reply.begin(plan.steering.cached ?? generation.cached.cachedTokens);
    const wait = plan.steering.ttft_ms ?? this.#settings.timeToFirstTokenMs;
    generation.firstTokenAt = this.#wheel.now() + wait;
    // A reply in one piece has a single step, when its last token is due.
    const furtherTokensMs = reply.stepwise
      ? 0
      : Math.max(0, limit - 1) * betweenTokensMs + (plan.steering.end_ms ?? 0);
    this.#wheel.schedule(generation, generation.firstTokenAt + furtherTokensMs);
  }

  #advance(generation: Generation, produced: number): void {
    this.#counts.tokens_generated += produced - generation.produced;
    generation.produced = produced;
  }

  readonly #step = (generation: Generation, now: number): void => {
    const { limit, fault, reply, plan } = generation;
    const produced = reply.stepwise ? generation.producedBy(now) : limit;
    this.#advance(generation, produced);
    if (produced < limit) {
      reply.deliver(produced, false);
      const next = generation.firstTokenAt + produced * generation.betweenTokensMs;
      this.#wheel.schedule(generation, next);
      return;
    }
    if (fault?.kind === 'stall') {
      // A stalled generation keeps its slot and its connection until the client disconnects.
      if (reply.stepwise) reply.deliver(produced, false);
      return;
    }
    const endsLater = plan.steering.end_ms ?? 0;
    if (endsLater > 0 && reply.stepwise && !generation.ending) {
      generation.ending = true;
      reply.deliver(produced, false);
      this.#wheel.schedule(generation, now + endsLater);
      return;
    }
    this.#end(generation, fault === undefined ? 'finished' : 'failed');
    reply.deliver(produced, true);
  };

  #end(generation: Generation, ended: PastGeneration['ended']): void {
    this.#counts[ended] += 1;
    this.#past.push({
      ended,
      tokens: generation.plan.tokens,
      generated: generation.produced,
      accepted_at_ms: generation.acceptedAtMs,
      ended_at_ms: Date.now(),
    });
    if (this.#past.length > rememberedGenerations) this.#past.shift();
    generation.phase = 'over';
    this.#wheel.cancel(generation);
    this.#waiting.delete(generation);
    this.#running.delete(generation);
    generation.cached?.extend(generatedTokens(generation.plan, generation.produced));
    this.#fillSlots();
  }
}
