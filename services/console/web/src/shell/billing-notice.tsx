import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/queries.ts';
import { Icon } from '../components/icons.tsx';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { billingReason } from './billing-reason.ts';
import { pathOf, pathOfError } from './paths.ts';

const words = texts.billing;

/** A stop by a budget begins and ends within seconds, without anything done on this page. */
const readEvery = 10_000;

/** Says on every page of an organization that its completions are refused, why, and what lifts that. */
export function BillingNotice(): ReactElement | null {
  const { id, role } = useOrganization();
  const { data } = useRead(
    'getOrganization',
    { params: { organization: id } },
    { every: readEvery },
  );
  const reason = data && billingReason(data);
  const code = data?.billing_refusal ?? null;
  if (reason === undefined || code === null) return null;
  return (
    <div className="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p className="failure-message">{words.title}</p>
        <p>{words.reasons[reason]}</p>
        <p className="failure-code">
          <Link href={pathOfError(code)}>
            <code>{code}</code>
          </Link>
        </p>
      </div>
      {reason === 'budget_spent' && hasRole(role, 'owner') ? (
        <Link href={pathOf(id, 'settings')} className="button">
          {words.toBudget}
        </Link>
      ) : null}
    </div>
  );
}
