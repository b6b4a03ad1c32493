import type { CatalogBudgetsClient } from '@sluice/rpc';
import { observe, type Logger } from '@sluice/service';
import type { UsageStore } from '../store/usage-store.ts';
import { WebhookSender } from '../webhooks/webhook-sender.ts';
import { BudgetKeeper } from './budget-keeper.ts';
import type { CatalogCopy } from './catalog-copy.ts';
import { ThresholdLog } from './threshold-log.ts';

export interface KeepBudgetsOptions {
  readonly store: Promise<UsageStore>;
  readonly client: CatalogBudgetsClient;
  readonly catalog: CatalogCopy;
  readonly currency: string;
  /** The secrets of webhooks are computed from it. Undefined if it is not set: webhooks then wait. */
  readonly webhookKey: string | undefined;
  readonly privateNetworks: boolean;
  readonly lagSeconds: () => number | undefined;
  readonly logger: Logger;
  readonly wallClock: () => number;
  readonly random: () => number;
  readonly firstRetryMs?: number | undefined;
}

/** Starts to keep budgets and to send webhooks, and adds the metrics of both. */
export function keepBudgets(options: KeepBudgetsOptions): BudgetKeeper {
  const { store, client, catalog, currency, webhookKey, firstRetryMs } = options;
  const { privateNetworks, lagSeconds, logger, wallClock, random } = options;
  const sender =
    webhookKey === undefined
      ? undefined
      : new WebhookSender({
          key: webhookKey,
          privateNetworks,
          secretVersionOf: (organization, url) =>
            catalog.organization(organization)?.webhooks.find((webhook) => webhook.url === url)
              ?.secretVersion,
          logger,
          wallClock,
          random,
          ...(firstRetryMs !== undefined && { firstRetryMs }),
        });
  const keeper = new BudgetKeeper({
    store,
    catalog,
    client,
    thresholds: new ThresholdLog({ currency, wallClock }),
    sender,
    lagSeconds,
    logger,
    wallClock,
  });
  observe('sluice.usage.budgets.age', () => keeper.ageSeconds);
  observe('sluice.usage.budgets.stopped', () => keeper.stopped);
  observe('sluice.usage.webhooks.waiting', () => sender?.waiting ?? 0);
  return keeper;
}
