import type { RuntimeLoad } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import type { Dialect, RuntimeKind } from './dialect.ts';
import { countOf, isJsonObject, listOf, objectOf, textOf } from './json.ts';
import { llamaCppDialect } from './llama-cpp-dialect.ts';
import { openAiDialect } from './openai-dialect.ts';
import type { RuntimeClient } from './runtime-client.ts';
import { sglangDialect } from './sglang-dialect.ts';
import { vllmDialect } from './vllm-dialect.ts';

const PROBE_INTERVAL_MS = 2_000;
const PROBE_INTERVAL_WHILE_DOWN_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;
/** One slow answer of a busy runtime is no failure. */
const FAILURES_UNTIL_DOWN = 2;

const DIALECTS: Record<RuntimeKind, Dialect> = {
  vllm: vllmDialect,
  'llama.cpp': llamaCppDialect,
  sglang: sglangDialect,
  openai: openAiDialect,
};

export interface RuntimeState {
  readonly dialect: Dialect;
  /** Empty while the runtime does not answer: then this worker is offered nothing. */
  readonly models: readonly string[];
  /** How many requests it works on at once, where it says so. */
  readonly slots: number | undefined;
  /** What it last told of its load. */
  readonly load: RuntimeLoad | undefined;
}

export interface RuntimeWatchOptions {
  readonly client: RuntimeClient;
  readonly kind: RuntimeKind | 'auto';
  readonly logger: Logger;
  readonly onChange: () => void;
  /** Called after each look at a runtime that is up. */
  readonly onLook?: () => void;
}

/** Knows whether the runtime is up, what it is and what it serves. */
export class RuntimeWatch implements Disposable {
  readonly #options: RuntimeWatchOptions;
  #state: RuntimeState = {
    dialect: openAiDialect,
    models: [],
    slots: undefined,
    load: undefined,
  };
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  #disposed = false;
  /** It has said that it has no page of metrics. */
  #tellsNoLoad = false;

  constructor(options: RuntimeWatchOptions) {
    this.#options = options;
    this.probe();
  }

  get state(): RuntimeState {
    return this.#state;
  }

  get up(): boolean {
    return this.#state.models.length > 0;
  }

  /** Looks now: something has just failed. */
  probe(): void {
    if (this.#probing || this.#disposed) return;
    clearTimeout(this.#timer);
    this.#probing = true;
    void this.#probeOnce().finally(() => {
      this.#probing = false;
      if (this.#disposed) return;
      const healthy = this.up && this.#failures === 0;
      this.#timer = setTimeout(
        () => this.probe(),
        healthy ? PROBE_INTERVAL_MS : PROBE_INTERVAL_WHILE_DOWN_MS,
      );
    });
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  async #probeOnce(): Promise<void> {
    const { client, logger } = this.#options;
    try {
      const answer = await client.ask('/v1/models', { timeoutMs: PROBE_TIMEOUT_MS });
      const listed = listOf(objectOf(answer)?.['data']).filter(isJsonObject);
      const models = listed.map((model) => textOf(model['id'])).filter((id) => id !== undefined);
      const dialect = this.up
        ? this.#state.dialect
        : this.#choose(listed.map((model) => textOf(model['owned_by'])));
      await this.#requireLoaded(dialect);
      const slots = this.up ? this.#state.slots : await this.#slotsOf(dialect);
      if (!this.up) this.#tellsNoLoad = false;
      const load = await this.#loadOf(dialect);
      this.#failures = 0;
      this.#adopt({ dialect, models, slots, load });
      if (!this.#disposed) this.#options.onLook?.();
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === FAILURES_UNTIL_DOWN) {
        const { reason, status, cause } = AttemptFailure.from(error);
        logger.warn({ reason, status, err: cause }, 'the runtime cannot be used');
      }
      if (this.#failures >= FAILURES_UNTIL_DOWN) {
        this.#adopt({ ...this.#state, models: [], load: undefined });
      }
    }
  }

  #choose(owners: readonly (string | undefined)[]): Dialect {
    const { kind } = this.#options;
    if (kind !== 'auto') return DIALECTS[kind];
    if (owners.includes('vllm')) return vllmDialect;
    if (owners.includes('llamacpp')) return llamaCppDialect;
    if (owners.includes('sglang')) return sglangDialect;
    return openAiDialect;
  }

  /** llama.cpp names its model while it is still loading it, and answers everything else with 503 until then. */
  async #requireLoaded({ kind }: Dialect): Promise<void> {
    if (kind !== 'llama.cpp') return;
    try {
      await this.#options.client.read('/health', { timeoutMs: PROBE_TIMEOUT_MS });
    } catch (error) {
      if (error instanceof AttemptFailure && error.status === 503) throw error;
    }
  }

  async #slotsOf(dialect: Dialect): Promise<number | undefined> {
    if (dialect.kind !== 'llama.cpp') return undefined;
    try {
      const properties = await this.#options.client.ask('/props', { timeoutMs: PROBE_TIMEOUT_MS });
      return countOf(objectOf(properties)?.['total_slots']);
    } catch {
      // The page can be switched off; the setting or its default then decides.
      return undefined;
    }
  }

  async #loadOf({ readLoad }: Dialect): Promise<RuntimeLoad | undefined> {
    if (readLoad === undefined || this.#tellsNoLoad) return undefined;
    try {
      return readLoad(await this.#options.client.read('/metrics', { timeoutMs: PROBE_TIMEOUT_MS }));
    } catch (error) {
      // Asked again only after it was away: the page can be switched off.
      this.#tellsNoLoad = error instanceof AttemptFailure && error.status !== undefined;
      return undefined;
    }
  }

  #adopt(next: RuntimeState): void {
    const before = this.#state;
    this.#state = next;
    const same = before.models.join('\n') === next.models.join('\n') && before.slots === next.slots;
    if (same || this.#disposed) return;
    this.#options.logger.info(
      { kind: next.dialect.kind, models: next.models, slots: next.slots },
      'runtime',
    );
    this.#options.onChange();
  }
}
