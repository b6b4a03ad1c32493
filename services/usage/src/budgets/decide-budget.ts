import { decimalOf, unitsOf } from '@sluice/contracts';
import type { OrganizationBudget } from './catalog-copy.ts';

export interface BudgetFacts {
  /** The month of UTC, such as `2027-01`. */
  readonly month: string;
  /** What the tables hold for the month, in units of money. */
  readonly spent: bigint;
  /** Whether the tables hold everything that has happened. */
  readonly complete: boolean;
}

type Stop = NonNullable<OrganizationBudget['stop']>;

export interface BudgetDecision {
  /** At least so much was spent in the month, in units of money. */
  readonly spent: bigint;
  /** The thresholds that are reached, in percent. */
  readonly reached: readonly number[];
  readonly change:
    | { readonly kind: 'none' }
    | { readonly kind: 'lift' }
    | { readonly kind: 'stop'; readonly stop: Stop };
}

/**
 * Decides about one organization. What was spent only grows within a month, so a stop is set on what is known, and a
 * stop of this month remembers what was spent when the tables have lost it. A stop is lifted for what was spent only if
 * the tables are complete: until then, the last decision holds.
 */
export function decideBudget(budget: OrganizationBudget, facts: BudgetFacts): BudgetDecision {
  const { month, complete } = facts;
  const { stop, monthly, hard } = budget;
  const remembered = stop?.month === month ? unitsOf(stop.spent) : 0n;
  const spent = facts.spent > remembered ? facts.spent : remembered;
  const limit = monthly === undefined ? undefined : unitsOf(monthly);
  const reached =
    limit === undefined || limit === 0n
      ? []
      : budget.thresholds.filter((percent) => spent * 100n >= limit * BigInt(percent));
  if (budget.deleted || limit === undefined || !hard || monthly === undefined) {
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
