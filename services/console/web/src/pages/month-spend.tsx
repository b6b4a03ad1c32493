import type { ReactElement } from 'react';
import { useRead } from '../api/queries.ts';
import { Meter } from '../components/meter.tsx';
import { Card } from '../components/page.tsx';
import { Loading, describeError } from '../components/states.tsx';
import { useNow } from '../components/use-now.ts';
import { formatMonth } from '../format/moments.ts';
import { formatMoney, formatShare } from '../format/numbers.ts';
import { useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { monthOf } from './usage-period.ts';

const words = texts.monthSpend;

/** Budgets are decided every few seconds. */
const readEvery = 5_000;
const warnFrom = 0.8;

/** What was spent in this month of UTC, beside the budget. */
export function MonthSpend(): ReactElement {
  const { id: organization } = useOrganization();
  const { since, until } = monthOf(useNow(60_000));
  const usage = useRead(
    'getUsage',
    { params: { organization }, query: { since, until, by: 'month' } },
    { every: readEvery, keepPrevious: true },
  );
  const settings = useRead('getOrganization', { params: { organization } });
  const error = usage.error ?? settings.error;
  if (error !== null) return <p className="muted">{describeError(error).message}</p>;
  if (usage.data === undefined || settings.data === undefined) return <Loading rows={1} />;
  const { total, currency } = usage.data;
  if (total.spend === null) return <p className="muted">{words.unknown}</p>;
  const limit = settings.data.budget?.monthly ?? null;
  const share = limit === null ? 0 : shareOf(Number(total.spend), Number(limit));
  return (
    <div className="month-spend">
      <p className="figure">
        {formatMoney(total.spend, currency)}{' '}
        <span className="of">
          {limit === null ? words.noBudget : words.of(formatMoney(limit, currency))}
        </span>
      </p>
      {limit === null ? null : (
        <Meter
          share={share}
          tone={share >= 1 ? 'bad' : share >= warnFrom ? 'warning' : 'accent'}
          label={words.used}
        />
      )}
      <p className="limit-facts">
        <span>
          {words.month(formatMonth(since))}
          {limit === null ? '' : ` · ${words.usedShare(formatShare(share))}`}
        </span>
        <span>{words.beginsAgain(formatMonth(until))}</span>
      </p>
    </div>
  );
}

export function MonthSpendCard(): ReactElement {
  return (
    <Card title={words.title}>
      <MonthSpend />
    </Card>
  );
}

function shareOf(spent: number, limit: number): number {
  return limit === 0 ? 1 : spent / limit;
}
