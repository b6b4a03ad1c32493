import { type SubmitEvent, type ReactElement, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { CheckField, TextField } from '../components/field.tsx';
import { Icon } from '../components/icons.tsx';
import { Failure } from '../components/states.tsx';
import { accountPath } from '../shell/paths.ts';
import { texts } from '../texts.ts';
import { Entry } from './entry.tsx';
import { type SignedIn, useSession } from './session-context.ts';
import { SignOutButton } from './sign-out-button.tsx';

const words = texts.welcome;

/** Shown until the person has completed the registration and an operator has granted access. */
export function WelcomePage(): ReactElement {
  const session = useSession();
  const { account } = session;
  const registered = account.onboarding === 'complete';
  return (
    <Entry
      title={registered ? words.waitingTitle : words.title(account.name)}
      below={<WhoIsSignedIn session={session} />}
    >
      <ol className="steps">
        <Step done={registered} title={words.registration}>
          {registered ? null : <Onboarding session={session} />}
        </Step>
        <Step done={account.access === 'granted'} title={words.access}>
          {account.access === 'granted' ? null : (
            <>
              <p className="muted">{words.waiting}</p>
              <p className="waiting">
                <span className="pulse" />
                {words.watching}
              </p>
            </>
          )}
        </Step>
      </ol>
    </Entry>
  );
}

function Step({
  done,
  title,
  children,
}: {
  readonly done: boolean;
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <li className={done ? 'step done' : 'step'}>
      <span className="step-sign">{done ? <Icon name="check" /> : null}</span>
      <div>
        <h2>
          {title}
          {done ? <span className="for-screen-readers"> {words.done}</span> : null}
        </h2>
        {children}
      </div>
    </li>
  );
}

function Onboarding({ session }: { readonly session: SignedIn }): ReactElement {
  const own = session.organizations.find(({ personal }) => personal) ?? session.organizations[0];
  const [name, setName] = useState(own?.name ?? '');
  const [accepted, setAccepted] = useState(false);
  const onboarding = useChange('completeOnboarding', ['getSession']);
  if (own === undefined) return <p className="muted">{words.noOrganization}</p>;
  const complete = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!accepted || onboarding.isPending) return;
    onboarding.mutate({
      body: { accept_terms: true, organization: own.id, organization_name: name },
    });
  };
  return (
    <form className="stack" onSubmit={complete}>
      <TextField
        label={words.organizationName}
        hint={words.organizationHint}
        value={name}
        required
        maxLength={128}
        autoComplete="organization"
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Terms session={session} accepted={accepted} accept={setAccepted} />
      {onboarding.error === null ? null : <Failure error={onboarding.error} />}
      <Button type="submit" look="primary" busy={onboarding.isPending}>
        {words.complete}
      </Button>
    </form>
  );
}

export function Terms({
  session,
  accepted,
  accept,
}: {
  readonly session: SignedIn;
  readonly accepted: boolean;
  readonly accept: (accepted: boolean) => void;
}): ReactElement {
  return (
    <CheckField
      required
      checked={accepted}
      onChange={({ currentTarget }) => accept(currentTarget.checked)}
      label={
        session.terms_url === null ? (
          words.acceptTerms
        ) : (
          <>
            {words.acceptLinkedTerms}{' '}
            <a href={session.terms_url} target="_blank" rel="noreferrer">
              {words.terms}
            </a>
          </>
        )
      }
    />
  );
}

export function WhoIsSignedIn({ session }: { readonly session: SignedIn }): ReactElement {
  const { name, email } = session.account;
  const [location] = useLocation();
  return (
    <>
      <span className="muted">{words.signedInAs(email ?? name)}</span>
      {location === accountPath ? null : (
        <Link href={accountPath} className="button quiet">
          {texts.account.ownData}
        </Link>
      )}
      <SignOutButton />
    </>
  );
}

export function RestrictedPage(): ReactElement {
  const session = useSession();
  return (
    <Entry title={words.restrictedTitle} below={<WhoIsSignedIn session={session} />}>
      <p className="muted">{words.restricted}</p>
      <p>
        <code>account_restricted</code>
      </p>
    </Entry>
  );
}
