import { type SubmitEvent, type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useChange, useRead } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { FutureMoment } from '../components/moment.tsx';
import { Failure, Reading } from '../components/states.tsx';
import { pathOf } from '../shell/paths.ts';
import { texts } from '../texts.ts';
import { Entry } from './entry.tsx';
import { useSession } from './session-context.ts';
import { Terms, WhoIsSignedIn } from './welcome-page.tsx';

const words = texts.invitation;

/**
 * Reads the token from the fragment of the address. Browsers do not send the fragment, so the token is in no log. An
 * address with the token in the query works, too.
 */
function readInvitationToken({ hash, search }: { hash: string; search: string }): string {
  const fromQuery = new URLSearchParams(search).get('token');
  return fromQuery ?? hash.replace(/^#(?:token=)?/, '');
}

export function InvitationPage(): ReactElement {
  const session = useSession();
  const [, navigate] = useLocation();
  const [token] = useState(() => readInvitationToken(window.location));
  const [termsAccepted, setTermsAccepted] = useState(false);
  const invitation = useRead('describeInvitation', { body: { token } });
  const needsTerms = session.account.onboarding === 'pending';
  const acceptance = useChange('acceptInvitation', ['getSession']);
  const join = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if ((needsTerms && !termsAccepted) || acceptance.isPending) return;
    // An error is shown below, as `acceptance.error`.
    const joined = await acceptance
      .mutateAsync({ body: { token, accept_terms: termsAccepted } })
      .catch(() => undefined);
    if (joined !== undefined) navigate(pathOf(joined.organization, 'keys'));
  };
  return (
    <Entry title={words.title} below={<WhoIsSignedIn session={session} />}>
      <Reading of={invitation} rows={1}>
        {({ organization_name: name, role, expires_at_ms: end }) => (
          <>
            <p>{words.lead(name, texts.roles[role])}</p>
            <p className="muted">
              {words.ends} <FutureMoment at={end} />
            </p>
          </>
        )}
      </Reading>
      <form className="stack" onSubmit={(event) => void join(event)}>
        {needsTerms ? (
          <Terms session={session} accepted={termsAccepted} accept={setTermsAccepted} />
        ) : null}
        {acceptance.error === null ? null : <Failure error={acceptance.error} />}
        <Button type="submit" look="primary" busy={acceptance.isPending}>
          {words.join}
        </Button>
      </form>
    </Entry>
  );
}
