import { hash } from 'node:crypto';
import type { CatalogBudgetsHandlers, ReadBudgetsReplyInput } from '@sluice/rpc';
import type { ChangeWriter } from '../changes/change-writer.ts';
import { planBudgetStop } from '../changes/set-budget-stop.ts';
import type { BudgetReader, BudgetView, BudgetedOrganization } from '../lookups/read-budgets.ts';
import type { ReadinessGate } from '../lookups/readiness-gate.ts';
import { mapCatalogErrors } from './rpc-errors.ts';

export interface BudgetHandlerOptions {
  readonly gate: ReadinessGate;
  readonly writer: ChangeWriter;
  /** Reads the state that the gate gives access to. */
  readonly budgets: BudgetReader;
}

/** The calls of the usage service. */
export function budgetHandlers({
  gate,
  writer,
  budgets,
}: BudgetHandlerOptions): CatalogBudgetsHandlers {
  const messages = new WeakMap<BudgetView, ReadBudgetsReplyInput & { readonly tag: string }>();
  const messageOf = (view: BudgetView) => {
    const known = messages.get(view);
    if (known !== undefined) return known;
    const message = budgetsMessage(view);
    messages.set(view, message);
    return message;
  };
  return {
    readBudgets: mapCatalogErrors(async ({ knownTag }) => {
      await gate.openLatest();
      const message = messageOf(budgets.read());
      return message.tag === knownTag ? { tag: knownTag } : message;
    }),
    setBudgetStop: mapCatalogErrors(async ({ organization, stop }, by) => {
      await writer.change(by, planBudgetStop(organization, stop ?? undefined));
      return {};
    }),
  };
}

/** The tag is a hash of the content, so that all replicas have the same one. */
function budgetsMessage(view: BudgetView) {
  const content = {
    models: view.models.map(({ id, prices = [] }) => ({
      id,
      prices: prices.map((price) => ({
        from: price.from ?? '',
        input: price.input,
        cachedInput: price.cached_input ?? '',
        output: price.output,
      })),
    })),
    organizations: view.organizations.map(organizationMessage),
  };
  return { ...content, tag: hash('sha256', JSON.stringify(content), 'base64') };
}

function organizationMessage({ id, organization, stop }: BudgetedOrganization) {
  const { budget, webhooks = [] } = organization ?? {};
  return {
    organization: id,
    deleted: organization === undefined,
    hard: budget?.hard ?? false,
    thresholds: budget?.thresholds ?? [],
    webhooks: webhooks.map(({ url, secret_version }) => ({ url, secretVersion: secret_version })),
    ...(budget !== undefined && budget.monthly !== null && { monthly: budget.monthly }),
    ...(stop !== undefined && {
      stop: { month: stop.month, monthly: stop.monthly, spent: stop.spent },
    }),
  };
}
