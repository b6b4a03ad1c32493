import { setTimeout as delay } from 'node:timers/promises';
import { monthOf } from '@sluice/contracts';
import type { CatalogBudgetsClient } from '@sluice/rpc';
import { LogDeduplicator, withTimeout, type Logger } from '@sluice/service';
import type { Database } from '../store/database.ts';
import type { UsageStore } from '../store/usage-store.ts';
import type { WebhookSender } from '../webhooks/webhook-sender.ts';
import type { CatalogCopy, OrganizationBudget } from './catalog-copy.ts';
import { decideBudget, type BudgetFacts } from './decide-budget.ts';
import { readMonthSpend } from './month-spend.ts';
import type { ThresholdLog } from './threshold-log.ts';

export interface BudgetKeeperOptions {
  /** Resolves when the tables can be used. */
  readonly store: Promise<UsageStore>;
  readonly catalog: CatalogCopy;
  readonly client: Pick<CatalogBudgetsClient, 'setBudgetStop'>;
  readonly thresholds: ThresholdLog;
  /** Undefined if the service has no key for the secrets of webhooks. They then wait in the tables. */
  readonly sender: WebhookSender | undefined;
  /** The age of the oldest outcome that is not in the tables. Undefined while this is not known. */
  readonly lagSeconds: () => number | undefined;
  readonly logger: Logger;
  readonly wallClock: () => number;
}

const DECIDE_EVERY_MS = 1_000;
/** How long the shutdown waits for webhooks that are being sent. */
const STOP_SENDING_MS = 1_000;
/** If the oldest outcome that is not in the tables is younger than this, the tables count as complete. */
const COMPLETE_LAG_S = 5;

/** Every second, compares what organizations have spent with their budgets, and sends webhooks that are due. */
export class BudgetKeeper implements AsyncDisposable {
  readonly #options: BudgetKeeperOptions;
  readonly #stop = new AbortController();
  readonly #decideFailures = new LogDeduplicator();
  readonly #sendFailures = new LogDeduplicator();
  readonly #ended: Promise<unknown>;
  #decidedAtMs: number;

  constructor(options: BudgetKeeperOptions) {
    this.#options = options;
    this.#decidedAtMs = options.wallClock();
    this.#ended = this.#run();
  }

  /** How long ago all budgets were last compared with complete tables. */
  get ageSeconds(): number {
    return Math.max(0, this.#options.wallClock() - this.#decidedAtMs) / 1_000;
  }

  /** How many organizations are stopped. */
  get stopped(): number {
    return (this.#options.catalog.organizations ?? []).filter(({ stop }) => stop !== null).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { store: opening } = this.#options;
    const { signal } = this.#stop;
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined));
    });
    const store = await Promise.race([opening, aborted]);
    if (store !== undefined) await this.#keep(store.database);
  }

  async #keep(database: Database): Promise<void> {
    const { signal } = this.#stop;
    let sending: Promise<void> | undefined;
    while (!signal.aborted) {
      await this.#attempt(this.#decideFailures, 'budgets cannot be decided at present', () =>
        this.#decideAll(database),
      );
      // A slow receiver must not delay decisions.
      sending ??= this.#send(database).finally(() => {
        sending = undefined;
      });
      await delay(DECIDE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    // A webhook that its receiver has not answered within this time is sent again by the next process.
    if (sending !== undefined) await withTimeout(STOP_SENDING_MS, sending);
  }

  async #send(database: Database): Promise<void> {
    const { sender, catalog } = this.#options;
    // Until the catalog has answered, it is not known which webhooks there are.
    if (sender === undefined || catalog.organizations === undefined) return;
    await this.#attempt(this.#sendFailures, 'webhooks cannot be sent at present', () =>
      sender.sendDue(database),
    );
  }

  async #decideAll(database: Database): Promise<void> {
    const { catalog, lagSeconds, wallClock, thresholds, logger } = this.#options;
    await catalog.load(database);
    await catalog.refresh(database);
    const organizations = catalog.organizations ?? [];
    const lag = lagSeconds();
    const complete = lag !== undefined && lag <= COMPLETE_LAG_S;
    const month = monthOf(wallClock());
    const ids = organizations.map(({ organization }) => organization);
    const spends = await readMonthSpend(database, month, ids);
    for (const budget of organizations) {
      const { organization } = budget;
      const facts: BudgetFacts = { month, complete, spent: spends.get(organization) ?? 0n };
      const { change, reached, spent } = decideBudget(budget, facts);
      if (change.kind !== 'none') await this.#setStop(budget, change);
      for (const percent of reached) {
        const isNew = await thresholds.record(database, { budget, month, percent, spent });
        if (isNew) logger.info({ organization, month, percent }, 'a threshold is reached');
      }
    }
    if (complete) this.#decidedAtMs = wallClock();
  }

  async #setStop(
    { organization }: OrganizationBudget,
    change: Exclude<ReturnType<typeof decideBudget>['change'], { kind: 'none' }>,
  ): Promise<void> {
    const { client, logger } = this.#options;
    if (change.kind === 'lift') {
      await client.setBudgetStop({ organization });
      logger.info({ organization }, 'the stop is lifted');
    } else {
      await client.setBudgetStop({ organization, stop: change.stop });
      logger.warn({ organization, ...change.stop }, 'the budget is spent: completions are refused');
    }
  }

  /** Logs a failure once, until the work succeeds again. */
  async #attempt(
    logged: LogDeduplicator,
    failure: string,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
      logged.reset();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const reason = error instanceof Error ? error.message : 'unknown';
      if (logged.shouldLog(reason)) this.#options.logger.warn({ reason }, failure);
    }
  }
}
