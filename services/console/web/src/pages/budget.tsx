import { type SubmitEvent, type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { CheckField, TextField } from '../components/field.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card } from '../components/page.tsx';
import { Failure } from '../components/states.tsx';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { MonthSpend } from './month-spend.tsx';

const words = texts.settings;

/** Reads percentages that are separated by commas. Undefined if one is not valid, or if there are too many. */
function readThresholds(text: string): number[] | undefined {
  if (text.trim() === '') return [];
  const percentages = text.split(',').map((part) => Number(part.trim().replace(/\s*%$/, '')));
  const areValid = percentages.every(
    (percentage) => Number.isInteger(percentage) && percentage >= 1 && percentage <= 1_000,
  );
  if (!areValid || percentages.length > 10) return undefined;
  return [...new Set(percentages)].toSorted((one, other) => one - other);
}

interface BudgetCardProps {
  readonly organization: RouteReply<'getOrganization'>;
}

export function BudgetCard({ organization }: BudgetCardProps): ReactElement {
  const { role } = useOrganization();
  const { budget } = organization;
  const [monthly, setMonthly] = useState(budget?.monthly ?? '');
  const [thresholds, setThresholds] = useState((budget?.thresholds ?? [80, 100]).join(', '));
  const [hard, setHard] = useState(budget?.hard ?? true);
  const change = useChange('changeOrganization', ['getOrganization']);
  const notice = useNotice();
  const allowed = hasRole(role, 'owner');
  const percentages = readThresholds(thresholds);
  const amount = monthly.trim();
  const amountWrong = amount !== '' && !/^\d{1,12}(\.\d{1,12})?$/.test(amount);

  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (percentages === undefined || amountWrong) return;
    await change
      .mutateAsync({
        params: { organization: organization.id },
        body: {
          budget: { monthly: amount === '' ? null : amount, thresholds: percentages, hard },
        },
      })
      .then(
        () => notice(words.saved),
        () => undefined,
      );
  };
  return (
    <Card title={words.budget} lead={words.budgetLead}>
      <MonthSpend />
      <form className="stack" noValidate onSubmit={(event) => void save(event)}>
        <div className="row-form">
          <TextField
            label={words.monthly}
            hint={words.monthlyHint}
            inputMode="decimal"
            autoComplete="off"
            disabled={!allowed}
            value={monthly}
            error={amountWrong ? words.amountWrong : undefined}
            onChange={({ currentTarget }) => setMonthly(currentTarget.value)}
          />
          <TextField
            label={words.thresholds}
            hint={words.thresholdsHint}
            autoComplete="off"
            disabled={!allowed}
            value={thresholds}
            error={percentages === undefined ? words.thresholdsWrong : undefined}
            onChange={({ currentTarget }) => setThresholds(currentTarget.value)}
          />
        </div>
        <CheckField
          label={words.hard}
          disabled={!allowed}
          checked={hard}
          onChange={({ currentTarget }) => setHard(currentTarget.checked)}
        />
        {change.error === null ? null : <Failure error={change.error} />}
        {allowed ? (
          <Button type="submit" busy={change.isPending}>
            {words.saveBudget}
          </Button>
        ) : null}
      </form>
    </Card>
  );
}
