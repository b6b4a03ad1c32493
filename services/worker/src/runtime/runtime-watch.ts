import type { RuntimeLoad } from '@sluice/contracts';
import { SaidOnce, type Logger } from '@sluice/telemetry';
import { chooseDialect } from '../dialect/choose-dialect.ts';
import type { Dialect, RuntimeKind } from '../dialect/dialect.ts';
import { openAiDialect } from '../dialect/openai-dialect.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { isJsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { RuntimeClient } from './runtime-client.ts';

const PROBE_INTERVAL_MS = 2_000;
const PROBE_INTERVAL_WHILE_DOWN_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;
/** One slow answer of a busy runtime is no failure. */
const FAILURES_UNTIL_DOWN = 2;

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

/**
 * Knows whether the runtime is up, what it is and what it serves. Each look finds out anew: another may have taken its
 * place between two of them.
 */
export class RuntimeWatch implements Disposable {
  readonly #options: RuntimeWatchOptions;
  #state: RuntimeState = {
    dialect: openAiDialect,
    models: [],
    slots: undefined,
    load: undefined,
  };
  #downSince: number | undefined;
  #failures = 0;
  /** Why it cannot be used, each once an outage: one that refuses the key may have refused connections before. */
  readonly #reasons = new SaidOnce();
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  #disposed = false;
  /** It has said that it has no page of metrics. Asked again, a llama.cpp server that sleeps would wake. */
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

  /** Since when it has been down, after it was up; undefined while it is not. */
  get downSince(): number | undefined {
    return this.#downSince;
  }

  /** Asks no more than whether it is there, beside a look that may be under way. */
  async answers(): Promise<boolean> {
    try {
      await this.#options.client.ask('/v1/models', { timeoutMs: PROBE_TIMEOUT_MS });
      await this.#requireLoaded(this.#state.dialect);
      return true;
    } catch {
      return false;
    }
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
    const { client, kind, logger } = this.#options;
    try {
      const answer = await client.ask('/v1/models', { timeoutMs: PROBE_TIMEOUT_MS });
      const listed = listOf(objectOf(answer)?.['data']).filter(isJsonObject);
      const models = listed.map((model) => textOf(model['id'])).filter((id) => id !== undefined);
      const owners = listed.map((model) => textOf(model['owned_by']));
      // An empty list says nothing of its kind.
      const dialect = listed.length > 0 ? chooseDialect(kind, owners) : this.#state.dialect;
      this.#meet(dialect, models);
      await this.#requireLoaded(dialect);
      const [slots, load] = await Promise.all([this.#slotsOf(dialect), this.#loadOf(dialect)]);
      this.#failures = 0;
      this.#reasons.over();
      this.#adopt({ dialect, models, slots, load });
      if (!this.#disposed) this.#options.onLook?.();
    } catch (error) {
      // A question that the end of the process cuts off says nothing of the runtime.
      if (this.#disposed) return;
      this.#failures += 1;
      if (this.#failures < FAILURES_UNTIL_DOWN) return;
      const { reason, status, cause } = AttemptFailure.from(error);
      if (this.#reasons.isNews(reason)) {
        logger.warn({ reason, status, err: cause }, 'the runtime cannot be used');
      }
      this.#adopt({ ...this.#state, models: [], load: undefined });
    }
  }

  /** Whoever has taken the place of another is asked in its own way at once, however long its pages take. */
  #meet(dialect: Dialect, models: readonly string[]): void {
    if (this.up && dialect === this.#state.dialect) return;
    this.#tellsNoLoad = false;
    if (this.up) this.#adopt({ dialect, models, slots: undefined, load: undefined });
  }

  async #requireLoaded({ loadedPath }: Dialect): Promise<void> {
    if (loadedPath === undefined) return;
    try {
      await this.#options.client.read(loadedPath, { timeoutMs: PROBE_TIMEOUT_MS });
    } catch (error) {
      if (error instanceof AttemptFailure && error.status === 503) throw error;
    }
  }

  async #slotsOf({ slotsPage }: Dialect): Promise<number | undefined> {
    if (slotsPage === undefined) return undefined;
    const { path, read } = slotsPage;
    try {
      return read(await this.#options.client.ask(path, { timeoutMs: PROBE_TIMEOUT_MS }));
    } catch {
      // It may only have been slow. Where the page is switched off, the setting or its default decides.
      return this.up ? this.#state.slots : undefined;
    }
  }

  async #loadOf({ readLoad }: Dialect): Promise<RuntimeLoad | undefined> {
    if (readLoad === undefined) return undefined;
    if (this.#tellsNoLoad) return undefined;
    try {
      return readLoad(await this.#options.client.read('/metrics', { timeoutMs: PROBE_TIMEOUT_MS }));
    } catch (error) {
      const hasNone = error instanceof AttemptFailure && error.status !== undefined;
      if (hasNone) this.#tellsNoLoad = true;
      return undefined;
    }
  }

  #adopt(next: RuntimeState): void {
    const before = this.#state;
    this.#state = next;
    const same =
      before.dialect === next.dialect &&
      before.slots === next.slots &&
      before.models.join('\n') === next.models.join('\n');
    if (same || this.#disposed) return;
    this.#downSince = this.up ? undefined : (this.#downSince ?? performance.now());
    this.#options.logger.info(
      { kind: next.dialect.kind, models: next.models, slots: next.slots },
      'runtime',
    );
    this.#options.onChange();
  }
}
