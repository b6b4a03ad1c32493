import type { RuntimeLoad } from '@sluice/contracts';
import { LogDeduplicator, type Logger } from '@sluice/telemetry';
import { chooseDialect } from '../dialect/choose-dialect.ts';
import type { Dialect, RuntimeKind } from '../dialect/dialect.ts';
import { openAiDialect } from '../dialect/openai-dialect.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import type { Slots } from '../domain/slots.ts';
import { isJsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { RuntimeClient } from './runtime-client.ts';

const PROBE_INTERVAL_MS = 2_000;
const PROBE_INTERVAL_WHILE_DOWN_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;
/** One slow answer of a busy runtime is no failure. */
const FAILURES_UNTIL_DOWN = 2;
const ASK_AGAIN_MS = 250;

export interface RuntimeState {
  readonly dialect: Dialect;
  /** Empty while the runtime does not answer: then this worker is offered nothing. */
  readonly models: readonly string[];
  /** How many requests it works on at once, where it says so. */
  readonly slots: number | undefined;
  /** What it last told of its load. */
  readonly load: RuntimeLoad | undefined;
}

export interface RuntimeSupervisorOptions {
  readonly client: Pick<RuntimeClient, 'ask' | 'read'>;
  readonly kind: RuntimeKind | 'auto';
  /** Their limit follows the runtime; a hold is put on them while it is in doubt whether the runtime is there. */
  readonly slots: Slots;
  readonly logger: Logger;
}

/**
 * Knows whether the runtime is up, what it is and what it serves. Each probe finds out anew: another runtime may have
 * taken its place between two of them.
 */
export class RuntimeSupervisor implements Disposable {
  readonly #options: RuntimeSupervisorOptions;
  #onChange: () => void = () => undefined;
  #state: RuntimeState = {
    dialect: openAiDialect,
    models: [],
    slots: undefined,
    load: undefined,
  };
  #downSince: number | undefined;
  #failures = 0;
  /** Why it cannot be used, each once an outage: one that refuses the key may have refused connections before. */
  readonly #reasons = new LogDeduplicator();
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  /** It has said that it has no page of metrics. Asked again, a llama.cpp server that sleeps would wake. */
  #tellsNoLoad = false;
  #brokenConnections = 0;
  #isDisposed = false;

  constructor(options: RuntimeSupervisorOptions) {
    this.#options = options;
  }

  /** Begins to probe. Calls back when models, kind or slots have changed, and when a hold on the slots is over. */
  start(onChange: () => void): void {
    this.#onChange = onChange;
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

  serves(model: string): boolean {
    return this.#state.models.includes(model);
  }

  /** Looks at the runtime if the failure of an attempt says that it may be down, or that it may list other models. */
  report({ reason, status }: AttemptFailure): void {
    if (reason !== 'upstream_unavailable' && reason !== 'upstream_model_missing') return;
    if (status !== undefined) this.probe();
    else {
      this.#brokenConnections += 1;
      if (!this.#options.slots.hold && !this.#isDisposed) void this.#holdUntilSettled();
    }
  }

  /** Looks now: something has just failed. */
  probe(): void {
    if (this.#probing || this.#isDisposed) return;
    clearTimeout(this.#timer);
    this.#probing = true;
    void this.#probeOnce().finally(() => {
      this.#probing = false;
      if (this.#isDisposed) return;
      const healthy = this.up && this.#failures === 0;
      this.#timer = setTimeout(
        () => this.probe(),
        healthy ? PROBE_INTERVAL_MS : PROBE_INTERVAL_WHILE_DOWN_MS,
      );
    });
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  async #probeOnce(): Promise<void> {
    const { client, kind, slots: ownSlots, logger } = this.#options;
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
      this.#reasons.reset();
      this.#adopt({ dialect, models, slots, load });
      const limitBefore = ownSlots.limit;
      ownSlots.look(load);
      if (ownSlots.limit !== limitBefore) this.#changed();
    } catch (error) {
      // A question that the end of the process cuts off says nothing of the runtime.
      if (this.#isDisposed) return;
      this.#failures += 1;
      if (this.#failures < FAILURES_UNTIL_DOWN) return;
      const { reason, status, cause } = AttemptFailure.from(error);
      if (this.#reasons.shouldLog(reason)) {
        logger.warn({ reason, status, err: cause }, 'the runtime cannot be used');
      }
      this.#adopt({ ...this.#state, models: [], load: undefined });
    }
  }

  /** A runtime that has taken the place of another is asked in its own way at once, however long its pages take. */
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
    if (readLoad === undefined || this.#tellsNoLoad) return undefined;
    try {
      const { client } = this.#options;
      return readLoad(await client.read('/metrics', { timeoutMs: PROBE_TIMEOUT_MS }));
    } catch (error) {
      const hasNone = error instanceof AttemptFailure && error.status !== undefined;
      if (hasNone) this.#tellsNoLoad = true;
      return undefined;
    }
  }

  #adopt(next: RuntimeState): void {
    const { slots, logger } = this.#options;
    const before = this.#state;
    this.#state = next;
    slots.runtimeSlots = next.slots;
    const same =
      before.dialect === next.dialect &&
      before.slots === next.slots &&
      before.models.join('\n') === next.models.join('\n');
    if (same || this.#isDisposed) return;
    this.#downSince = this.up ? undefined : (this.#downSince ?? performance.now());
    logger.info({ kind: next.dialect.kind, models: next.models, slots: next.slots }, 'runtime');
    this.#changed();
  }

  #changed(): void {
    if (!this.#isDisposed) this.#onChange();
  }

  /**
   * From a broken connection on nothing starts, until the runtime answers a question that was asked after it, or is
   * known to be down: each job that waits would otherwise meet a runtime that has just ended, and fail. The question
   * is asked beside the probes, which may wait for slow pages.
   */
  async #holdUntilSettled(): Promise<void> {
    const { slots } = this.#options;
    slots.hold = true;
    while (!(await this.#isSettled()));
    slots.hold = false;
    this.#changed();
  }

  async #isSettled(): Promise<boolean> {
    const brokenBefore = this.#brokenConnections;
    const answers = await this.#answers();
    if (this.#isPastDoubt) return true;
    if (answers) return brokenBefore === this.#brokenConnections;
    this.probe();
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, ASK_AGAIN_MS).unref();
    await promise;
    return this.#isPastDoubt;
  }

  get #isPastDoubt(): boolean {
    return !this.up || this.#isDisposed;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.#options.client.ask('/v1/models', { timeoutMs: PROBE_TIMEOUT_MS });
      await this.#requireLoaded(this.#state.dialect);
      return true;
    } catch {
      return false;
    }
  }
}
