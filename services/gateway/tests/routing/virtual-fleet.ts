import {
  HEARTBEAT_INTERVAL_MS,
  ServedBlocks,
  encodeBlockHashes,
  estimateInputTokens,
  type PromptPrefix,
  type WorkerLoad,
} from '@sluice/contracts';
import {
  PrefixCache,
  SeededRandom,
  blockSize,
  promptTokens,
  textTokens,
  type CachedSequence,
} from '@sluice/simulator';
import { promptPrefix } from '../../src/request/prompt-blocks.ts';
import type { Message } from '../../src/request/schema/message.ts';
import type { Trace, TraceStep } from './traces.ts';

const ORGANIZATION = 'acme';
const MODEL = 'acme/large';
const SLOTS = 64;
const TOKENS_PER_BYTE = 0.25;
/** The speed of a runtime that serves a model of 8 billion parameters. */
const PREFILL_MS_PER_TOKEN = 0.05;
const MS_PER_OUTPUT_TOKEN = 10;

/** A request as the gateways see it. */
export interface RoutedRequest {
  readonly messages: readonly Message[];
  readonly prefix: PromptPrefix;
  /** For rules that know the caches. */
  readonly tokens: readonly number[];
}

/** A worker with the prefix cache of the simulator, on virtual time. */
export class VirtualWorker {
  readonly id: string;
  readonly served = new ServedBlocks();
  readonly #cache: PrefixCache;
  #jobs = 0;
  #jobMs = 0;
  #changedAt = 0;

  constructor(id: string, cacheTokens: number) {
    this.id = id;
    this.#cache = new PrefixCache(Math.floor(cacheTokens / blockSize));
  }

  get load(): WorkerLoad {
    const running = Math.min(SLOTS, this.#jobs);
    return { slots: SLOTS, running, queued: this.#jobs - running, queue_limit: 1_000 };
  }

  get jobs(): number {
    return this.#jobs;
  }

  cachedTokens(tokens: readonly number[]): number {
    return this.#cache.find(tokens, ORGANIZATION);
  }

  admit({ tokens, prefix }: RoutedRequest, now: number): CachedSequence {
    this.#count(1, now);
    if (prefix.hashes.length > 0) this.served.note(encodeBlockHashes(prefix.hashes));
    return this.#cache.admit(tokens, ORGANIZATION);
  }

  finish(now: number): void {
    this.#count(-1, now);
  }

  /** The mean number of jobs until now. */
  meanJobs(now: number): number {
    this.#count(0, now);
    return this.#jobMs / now;
  }

  #count(change: number, now: number): void {
    this.#jobMs += this.#jobs * (now - this.#changedAt);
    this.#changedAt = now;
    this.#jobs += change;
  }
}

/** How the gateways of a virtual fleet choose workers. */
export interface RoutingRule {
  choose(request: RoutedRequest, gateway: number): VirtualWorker;
  /** The worker has accepted, or finished, a job of this gateway. */
  observe?(worker: VirtualWorker, gateway: number): void;
  finished?(
    request: RoutedRequest,
    from: { readonly worker: VirtualWorker; readonly gateway: number; readonly cached: number },
  ): void;
  heartbeat?(worker: VirtualWorker): void;
}

export interface RunResult {
  /** Cached prompt tokens, as a part of all prompt tokens. */
  readonly cached: number;
  /** The mean number of jobs of the most loaded worker, divided by the mean over all workers. */
  readonly load: number;
  readonly seconds: number;
}

export interface FleetContext {
  readonly workers: readonly VirtualWorker[];
  readonly clock: () => number;
  readonly random: () => number;
}

export interface RunOptions {
  readonly workers: number;
  readonly gateways: number;
  readonly rule: (context: FleetContext, gateways: number) => RoutingRule;
  readonly seed?: number;
}

/** Sends a trace through virtual gateways and workers. Each client sends its next request after the previous answer. */
export function runTrace(trace: Trace, options: RunOptions): RunResult {
  const { workers: size, gateways, seed = 7 } = options;
  const random = new SeededRandom(seed);
  const workers = Array.from(
    { length: size },
    (_, number) => new VirtualWorker(`default.${number}`, trace.cacheTokens),
  );
  const agenda = new Agenda();
  const clock = () => agenda.now;
  const rule = options.rule({ workers, clock, random: () => random.fraction() }, gateways);
  let promptTotal = 0;
  let cachedTotal = 0;
  let open = 0;
  let nextSession = 0;

  const startSession = () => {
    const session = trace.sessions[nextSession];
    if (session === undefined) return;
    nextSession += 1;
    open += 1;
    send(session, 0);
  };
  const send = (session: readonly TraceStep[], number: number) => {
    const step = session[number];
    if (step === undefined) {
      open -= 1;
      startSession();
      return;
    }
    agenda.after(step.pauseMs, () => {
      const request = routedRequest(step);
      const gateway = random.integer(0, gateways - 1);
      const worker = rule.choose(request, gateway);
      const sequence = worker.admit(request, agenda.now);
      rule.observe?.(worker, gateway);
      const cached = sequence.cachedTokens;
      promptTotal += request.tokens.length;
      cachedTotal += cached;
      const answer = textTokens(step.answer);
      const serviceMs =
        (request.tokens.length - cached) * PREFILL_MS_PER_TOKEN +
        answer.length * MS_PER_OUTPUT_TOKEN;
      agenda.after(serviceMs, () => {
        sequence.extend(answer);
        worker.finish(agenda.now);
        rule.observe?.(worker, gateway);
        rule.finished?.(request, { worker, gateway, cached });
        send(session, number + 1);
      });
    });
  };

  for (let client = 0; client < trace.clients; client += 1) startSession();
  for (const [number, worker] of workers.entries()) {
    const beat = () => {
      rule.heartbeat?.(worker);
      if (open > 0) agenda.after(HEARTBEAT_INTERVAL_MS, beat);
    };
    agenda.after((number * HEARTBEAT_INTERVAL_MS) / size, beat);
  }
  agenda.run();
  const means = workers.map((worker) => worker.meanJobs(agenda.now));
  const mean = means.reduce((sum, jobs) => sum + jobs, 0) / size;
  return {
    cached: cachedTotal / promptTotal,
    load: Math.max(...means) / mean,
    seconds: agenda.now / 1_000,
  };
}

const prepared = new WeakMap<TraceStep, RoutedRequest>();

/** The request of a step. It is prepared once and used in every run of the trace. */
function routedRequest(step: TraceStep): RoutedRequest {
  const known = prepared.get(step);
  if (known !== undefined) return known;
  const { messages } = step;
  const inputTokens = estimateInputTokens({ messages }, TOKENS_PER_BYTE);
  const request: RoutedRequest = {
    messages,
    prefix: promptPrefix(
      { model: MODEL, messages: [...messages], tools: undefined },
      { organization: ORGANIZATION, inputTokens },
    ),
    tokens: promptTokens({ messages: messages.map(chatMessage) }),
  };
  prepared.set(step, request);
  return request;
}

function chatMessage({ role, content }: Message): { role: Message['role']; content: string } {
  return { role, content: typeof content === 'string' ? content : '' };
}

/** Runs events in the order of their virtual times. */
class Agenda {
  now = 0;
  readonly #events: { readonly at: number; readonly happen: () => void }[] = [];

  after(durationMs: number, happen: () => void): void {
    const at = this.now + durationMs;
    const place = this.#events.findLastIndex((event) => event.at > at) + 1;
    this.#events.splice(place, 0, { at, happen });
  }

  run(): void {
    for (;;) {
      const event = this.#events.pop();
      if (event === undefined) return;
      this.now = event.at;
      event.happen();
    }
  }
}
