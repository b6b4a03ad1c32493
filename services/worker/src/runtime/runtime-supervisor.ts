import type { RuntimeLoad } from '@sluice/contracts';
import { LogDeduplicator, type Logger } from '@sluice/service';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { chooseDialect } from '../dialects/choose-dialect.ts';
import type { Dialect, RuntimeKind } from '../dialects/dialect.ts';
import { openAiDialect } from '../dialects/openai.ts';
import { isJsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { Slots } from '../schedule/slots.ts';
import type { RuntimeClient } from './runtime-client.ts';

const PROBE_INTERVAL_MS = 2_000;
const PROBE_INTERVAL_WHILE_DOWN_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;
/** How many probes in a row must fail until the runtime counts as down. A busy runtime may answer one too slowly. */
const FAILURES_UNTIL_DOWN = 2;
const REACHABILITY_RETRY_MS = 250;

export interface RuntimeState {
  readonly dialect: Dialect;
  /** Empty while the runtime is down, so that gateways offer this worker no jobs. */
  readonly models: readonly string[];
  /** How many requests the runtime works on at once, if it reports that. */
  readonly slots: number | undefined;
  /** The load that the runtime reported last. */
  readonly load: RuntimeLoad | undefined;
}

export interface RuntimeSupervisorOptions {
  readonly client: Pick<RuntimeClient, 'ask' | 'read'>;
  readonly kind: RuntimeKind | 'auto';
  /** The supervisor sets their number, and holds them while it is uncertain whether the runtime is up. */
  readonly slots: Slots;
  readonly logger: Logger;
}

/**
 * Knows whether the runtime is up, which kind it is and which models it serves. Each probe detects all of this again,
 * because another runtime may have taken over the address.
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
  /** Logs each reason once in an outage. The reason may change, for example from a refused connection to a bad key. */
  readonly #reasons = new LogDeduplicator();
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  /** The runtime has no metrics page. It is not asked again: a request would wake a sleeping llama.cpp server. */
  #hasNoMetricsPage = false;
  #brokenConnections = 0;
  #isDisposed = false;

  constructor(options: RuntimeSupervisorOptions) {
    this.#options = options;
  }

  /** Starts probing. `onChange` is called when models, kind or slots have changed, and when a hold has ended. */
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

  /** When the runtime went down; undefined while it is up. */
  get downSince(): number | undefined {
    return this.#downSince;
  }

  serves(model: string): boolean {
    return this.#state.models.includes(model);
  }

  /** Probes at once if an attempt's failure suggests that the runtime is down or serves other models. */
  report({ reason, status }: AttemptFailure): void {
    if (reason !== 'upstream_unavailable' && reason !== 'upstream_model_missing') return;
    if (status !== undefined) this.probe();
    else {
      // Without a status, the runtime did not answer: the connection broke.
      this.#brokenConnections += 1;
      if (!this.#options.slots.hold && !this.#isDisposed) void this.#holdUntilSettled();
    }
  }

  /** Probes now, unless a probe is in flight. */
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
      // An empty list of models does not show the kind of the runtime.
      const dialect = listed.length > 0 ? chooseDialect(kind, owners) : this.#state.dialect;
      this.#switchDialect(dialect, models);
      await this.#requireLoaded(dialect);
      const [slots, load] = await Promise.all([this.#slotsOf(dialect), this.#loadOf(dialect)]);
      this.#failures = 0;
      this.#reasons.reset();
      this.#adopt({ dialect, models, slots, load });
      const limitBefore = ownSlots.limit;
      ownSlots.observe(load);
      if (ownSlots.limit !== limitBefore) this.#changed();
    } catch (error) {
      // After the supervisor was disposed, a failure is only a consequence of the closed client.
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

  /** Adopts the dialect of a new runtime at once, before its slots and metrics pages are read, which may be slow. */
  #switchDialect(dialect: Dialect, models: readonly string[]): void {
    if (this.up && dialect === this.#state.dialect) return;
    this.#hasNoMetricsPage = false;
    if (this.up) this.#adopt({ dialect, models, slots: undefined, load: undefined });
  }

  /** Throws if the runtime is still loading its models. */
  async #requireLoaded({ loadedPath }: Dialect): Promise<void> {
    if (loadedPath === undefined) return;
    try {
      await this.#options.client.read(loadedPath, { timeoutMs: PROBE_TIMEOUT_MS });
    } catch (error) {
      // Any other error does not show that models are being loaded.
      if (error instanceof AttemptFailure && error.status === 503) throw error;
    }
  }

  async #slotsOf({ slotsPage }: Dialect): Promise<number | undefined> {
    if (slotsPage === undefined) return undefined;
    const { path, read } = slotsPage;
    try {
      return read(await this.#options.client.ask(path, { timeoutMs: PROBE_TIMEOUT_MS }));
    } catch {
      // If the page cannot be read, the last value is kept, because the page may only be slow.
      return this.up ? this.#state.slots : undefined;
    }
  }

  async #loadOf({ readLoad }: Dialect): Promise<RuntimeLoad | undefined> {
    if (readLoad === undefined || this.#hasNoMetricsPage) return undefined;
    try {
      const { client } = this.#options;
      return readLoad(await client.read('/metrics', { timeoutMs: PROBE_TIMEOUT_MS }));
    } catch (error) {
      // An error status shows that there is no such page. A timeout or a broken connection does not.
      if (error instanceof AttemptFailure && error.status !== undefined) {
        this.#hasNoMetricsPage = true;
      }
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
   * After a broken connection, no attempt starts until the runtime answers a request that was sent later, or is known
   * to be down. Otherwise each queued job would start on a runtime that has just ended, and fail. The request is
   * separate from the probes, because a probe may wait for slow pages.
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
    const isReachable = await this.#isReachable();
    if (this.#needsNoHold) return true;
    // If another connection broke during the request, its answer is too old.
    if (isReachable) return brokenBefore === this.#brokenConnections;
    this.probe();
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, REACHABILITY_RETRY_MS).unref();
    await promise;
    return this.#needsNoHold;
  }

  /**
   * A runtime that is known to be down offers no models, so no hold is needed. A disposed supervisor needs none either.
   */
  get #needsNoHold(): boolean {
    return !this.up || this.#isDisposed;
  }

  async #isReachable(): Promise<boolean> {
    try {
      await this.#options.client.ask('/v1/models', { timeoutMs: PROBE_TIMEOUT_MS });
      await this.#requireLoaded(this.#state.dialect);
      return true;
    } catch {
      return false;
    }
  }
}
