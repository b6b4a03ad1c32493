import { decimalOf, unitsOf } from '@sluice/contracts';
import type { OrganizationBudget } from './catalog-copy.ts';

export interface BudgetFacts {
  /** The month of UTC, such as `2027-01`. */
  readonly month: string;
  /** What was spent in the month according to the tables, in units of 10⁻¹² of the currency. */
  readonly spent: bigint;
  /** Whether the tables hold everything that the ledger has recorded, except for the last few seconds. */
  readonly complete: boolean;
}

type Stop = NonNullable<OrganizationBudget['stop']>;

export interface BudgetDecision {
  /** What was spent in the month at least, in units of 10⁻¹² of the currency. */
  readonly spent: bigint;
  /** The thresholds that are reached, in percent. */
  readonly reached: readonly number[];
  readonly change:
    | { readonly kind: 'none' }
    | { readonly kind: 'lift' }
    | { readonly kind: 'stop'; readonly stop: Stop };
}

/**
 * Decides whether one organization is stopped, and which of its thresholds are reached.
 *
 * What was spent in a month only grows, so a stop is set even while the tables lack the newest records. A stop holds
 * the amount that was spent when it was set: if the tables are lost, this amount still counts.
 *
 * Incomplete tables do not show that less was spent than the budget. Until they are complete, the last decision holds.
 */
export function decideBudget(budget: OrganizationBudget, facts: BudgetFacts): BudgetDecision {
  const { month, complete } = facts;
  const { stop, monthly, hard } = budget;
  const spentAtStop = stop?.month === month ? unitsOf(stop.spent) : 0n;
  const spent = facts.spent > spentAtStop ? facts.spent : spentAtStop;
  const limit = monthly === undefined ? undefined : unitsOf(monthly);
  const reached =
    limit === undefined || limit === 0n
      ? []
      : budget.thresholds.filter((percent) => spent * 100n >= limit * BigInt(percent));
  if (budget.deleted || !hard || monthly === undefined || limit === undefined) {
    return { spent, reached, change: { kind: stop === null ? 'none' : 'lift' } };
  }
  if (spent >= limit) {
    const isDecided = stop?.month === month && stop.monthly === monthly;
    const wanted = { month, monthly, spent: decimalOf(spent) };
    return {
      spent,
      reached,
      change: isDecided ? { kind: 'none' } : { kind: 'stop', stop: wanted },
    };
  }
  return { spent, reached, change: { kind: stop !== null && complete ? 'lift' : 'none' } };
}
