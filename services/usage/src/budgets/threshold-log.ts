import { createHash } from 'node:crypto';
import { decimalOf, roundedAmount } from '@sluice/contracts';
import type { Database } from '../store/database.ts';
import { addDelivery } from '../webhooks/deliveries.ts';
import type { OrganizationBudget } from './catalog-copy.ts';

export interface ReachedThreshold {
  readonly budget: OrganizationBudget;
  readonly month: string;
  readonly percent: number;
  /** In units of 10⁻¹² of the currency. */
  readonly spent: bigint;
}

/**
 * Records the thresholds that organizations reach, and adds their webhook deliveries. Each threshold is recorded once a
 * month. Its record and its deliveries are written in one transaction, so that none is lost or repeated.
 */
export class ThresholdLog {
  readonly #currency: string;
  readonly #wallClock: () => number;
  /** Thresholds of this month that are known to be in the tables, so that the tables are not asked every second. */
  readonly #recorded = new Set<string>();
  #month = '';

  constructor({ currency, wallClock }: { currency: string; wallClock: () => number }) {
    this.#currency = currency;
    this.#wallClock = wallClock;
  }

  /** Returns whether the threshold is recorded for the first time this month. */
  async record(database: Database, threshold: ReachedThreshold): Promise<boolean> {
    const { budget, month, percent } = threshold;
    if (this.#month !== month) this.#recorded.clear();
    this.#month = month;
    const { organization } = budget;
    const name = `${percent} ${organization}`;
    if (this.#recorded.has(name)) return false;
    const createdMs = this.#wallClock();
    const isNew = await database.transaction(async (transaction) => {
      const added = await transaction.query(
        `INSERT INTO budget_thresholds VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING 1 AS added`,
        [organization, month, percent, createdMs],
      );
      if (added.length === 0) return false;
      const event = eventId(threshold);
      const body = JSON.stringify(thresholdEvent(threshold, this.#currency, createdMs));
      for (const { url } of budget.webhooks) {
        await addDelivery(transaction, { event, url, organization, body, createdMs });
      }
      return true;
    });
    this.#recorded.add(name);
    return isNew;
  }
}

/** The same threshold always has the same id. If the tables are lost, receivers still recognize a repeated event. */
function eventId({ budget, month, percent }: ReachedThreshold): string {
  const name = JSON.stringify([budget.organization, month, percent]);
  return `budget_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** The event as receivers get it. They can send `subject` and `text` as an e-mail without changes. */
function thresholdEvent(
  { budget, month, percent, spent }: ReachedThreshold,
  currency: string,
  atMs: number,
) {
  const { organization, hard, monthly = '0' } = budget;
  const exact = decimalOf(spent);
  const refused = hard && percent >= 100;
  const text = [
    `Organization ${organization} has spent ${roundedAmount(exact)} ${currency} of its budget of ${roundedAmount(monthly)} ${currency} for ${month}.`,
    ...(refused
      ? ['Chat completions are refused until the budget is raised or the month (UTC) ends.']
      : []),
  ].join(' ');
  return {
    type: 'budget.threshold_reached',
    timestamp: new Date(atMs).toISOString(),
    data: {
      organization,
      month,
      threshold: percent,
      budget: monthly,
      spent: exact,
      currency,
      hard,
      subject: `${percent}% of the budget of ${organization} is spent`,
      text,
    },
  };
}
