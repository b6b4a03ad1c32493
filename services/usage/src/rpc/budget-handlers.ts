import { decimalOf, monthOf, unitsOf } from '@sluice/contracts';
import { RpcError, type UsageHandlers } from '@sluice/rpc';
import type { Logger } from '@sluice/service';
import type { CatalogCopy, OrganizationBudget } from '../budgets/catalog-copy.ts';
import { decideBudget } from '../budgets/decide-budget.ts';
import { readMonthSpend } from '../budgets/month-spend.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { webhookSecret } from '../webhooks/webhook-signature.ts';

export interface BudgetHandlerOptions {
  /** Undefined if this service knows no catalog. */
  readonly catalog: CatalogCopy | undefined;
  readonly keeper: { readonly ageSeconds: number } | undefined;
  readonly currency: string;
  readonly webhookKey: string | undefined;
  readonly store: () => UsageStore;
  readonly freshness: () => { unreadMessages: number; lagSeconds: number } | null;
  readonly logger: Logger;
  readonly wallClock: () => number;
}

type BudgetHandlers = Pick<UsageHandlers, 'listBudgets' | 'getWebhookSecret'>;

/** Answers calls about budgets and webhooks. */
export function budgetHandlers(options: BudgetHandlerOptions): BudgetHandlers {
  const { catalog, keeper, currency, webhookKey, store, freshness, logger, wallClock } = options;
  const organizations = () => {
    if (catalog === undefined) {
      throw new RpcError('failed_precondition', 'usage has no CATALOG_ADMIN_ADDRESSES: no budgets');
    }
    if (catalog.organizations !== undefined) return catalog.organizations;
    throw new RpcError('unavailable', 'the catalog has not been read yet; try again');
  };
  return {
    listBudgets: async ({ organization }) => {
      const budgets = organizations().filter(
        (budget) => organization === '' || budget.organization === organization,
      );
      const month = monthOf(wallClock());
      const ids = budgets.map((budget) => budget.organization);
      const spends = await readMonthSpend(store().database, month, ids);
      return {
        budgets: budgets.map((budget) =>
          budgetMessage(budget, month, spends.get(budget.organization) ?? 0n),
        ),
        currency,
        month,
        ageSeconds: keeper?.ageSeconds ?? 0,
        freshness: freshness(),
      };
    },
    getWebhookSecret: async ({ organization, url }, by) => {
      const found = organizations()
        .find((budget) => budget.organization === organization)
        ?.webhooks.find((webhook) => webhook.url === url);
      if (found === undefined) {
        throw new RpcError('not_found', `organization ${organization} has no such webhook`);
      }
      if (webhookKey === undefined) {
        throw new RpcError('failed_precondition', 'usage has no WEBHOOK_KEY: webhooks wait');
      }
      logger.info({ by, organization }, 'the secret of a webhook was shown');
      const { secretVersion } = found;
      return { secret: webhookSecret(webhookKey, { organization, url, secretVersion }) };
    },
  };
}

function budgetMessage(budget: OrganizationBudget, month: string, spend: bigint) {
  const { organization, monthly, hard, thresholds, webhooks, stop } = budget;
  const { spent, reached } = decideBudget(budget, { month, spent: spend, complete: false });
  // A stop of a budget that is no longer spent is lifted within seconds, and is not shown.
  const isSpent = monthly !== undefined && spent >= unitsOf(monthly);
  return {
    organization,
    ...(monthly !== undefined && { monthly }),
    spent: decimalOf(spent),
    hard,
    thresholds,
    reached: [...reached],
    stopped: stop !== null && hard && isSpent,
    webhooks,
  };
}
