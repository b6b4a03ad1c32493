import { roundedAmount, unitsOf } from '@sluice/contracts';
import type { ListBudgetsReply } from '@sluice/rpc';
import type { Screen } from '../screen.ts';
import { table } from '../table.ts';

type Budget = ListBudgetsReply['budgets'][number];

/** If the last decisions are older than this, the text says so. */
const OLD_S = 60;

/** Budgets for programs, with exact amounts. */
export function budgetsData({ budgets, currency, month }: ListBudgetsReply) {
  return budgets.map(({ organization, monthly = null, spent, hard, reached, stopped }) => ({
    organization,
    month,
    currency,
    monthly,
    spent,
    hard,
    stopped,
    reached,
  }));
}

/** What organizations have spent of their budgets. */
export function budgetsText(
  { budgets, currency, month, ageSeconds }: ListBudgetsReply,
  screen?: Screen,
): string {
  const lines = [`${month}, ${currency}`];
  if (budgets.length === 0) return `${lines[0]}: no organization has a budget`;
  const head = ['organization', 'state', 'told', 'budget', 'spent', 'percent'];
  lines.push(table(head, budgets.map(budgetRow), { numbersFrom: 3, screen }));
  if (ageSeconds > OLD_S) {
    const minutes = Math.round(ageSeconds / 60);
    lines.push(`nothing was decided for ${minutes} min: the last decisions hold`);
  }
  return lines.join('\n');
}

function budgetRow(budget: Budget): string[] {
  const { organization, monthly, spent, reached } = budget;
  return [
    organization,
    stateOf(budget),
    reached.map((percent) => `${percent}%`).join(' ') || '-',
    monthly === undefined ? '-' : roundedAmount(monthly),
    roundedAmount(spent),
    percentText(monthly, spent),
  ];
}

function stateOf({ monthly, hard, stopped }: Budget): string {
  if (stopped) return 'stopped';
  if (monthly === undefined) return 'no budget';
  return hard ? 'served' : 'told only';
}

function percentText(monthly: string | undefined, spent: string): string {
  const limit = monthly === undefined ? 0n : unitsOf(monthly);
  return limit === 0n ? '-' : String((unitsOf(spent) * 100n) / limit);
}
