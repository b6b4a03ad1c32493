import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/queries.ts';
import { Icon } from '../components/icons.tsx';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { billingReason } from './billing-reason.ts';
import { pathOf, pathOfError } from './paths.ts';

const words = texts.billing;

/** The organization is read this often, because a budget can stop it, or the stop can be lifted, at any time. */
const readEveryMs = 10_000;

/** Shown on every page of an organization whose completions are refused: says why, and what ends the refusal. */
export function BillingNotice(): ReactElement | null {
  const { id, role } = useOrganization();
  const { data } = useRead(
    'getOrganization',
    { params: { organization: id } },
    { every: readEveryMs },
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
