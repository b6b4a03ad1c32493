import { type ReactElement, Suspense, lazy, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { setCsrfToken } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Page } from '../components/page.tsx';
import { Empty, Failure, Loading } from '../components/states.tsx';
import { AccountPage, OwnDataPage } from '../session/account-page.tsx';
import { InvitationPage } from '../session/invitation-page.tsx';
import { OrganizationContext, SessionContext, type SignedIn } from '../session/session-context.ts';
import { SignInPage } from '../session/sign-in-page.tsx';
import { RestrictedPage, WelcomePage } from '../session/welcome-page.tsx';
import { texts } from '../texts.ts';
import { BillingNotice } from './billing-notice.tsx';
import { CrashBoundary } from './crash-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { NotFound } from './not-found.tsx';
import { OfflineBanner } from './offline.tsx';
import { accountPath, pathOf, platformPath } from './paths.ts';

const KeysPage = lazy(() =>
  import('../pages/keys.tsx').then((page) => ({ default: page.KeysPage })),
);
const PlaygroundPage = lazy(() =>
  import('../playground/playground-page.tsx').then((page) => ({ default: page.PlaygroundPage })),
);
const UsagePage = lazy(() =>
  import('../pages/usage.tsx').then((page) => ({ default: page.UsagePage })),
);
const LimitsPage = lazy(() =>
  import('../pages/limits.tsx').then((page) => ({ default: page.LimitsPage })),
);
const RequestsPage = lazy(() =>
  import('../pages/requests.tsx').then((page) => ({ default: page.RequestsPage })),
);
const RequestPage = lazy(() =>
  import('../pages/request.tsx').then((page) => ({ default: page.RequestPage })),
);
const MembersPage = lazy(() =>
  import('../pages/members.tsx').then((page) => ({ default: page.MembersPage })),
);
const ProjectsPage = lazy(() =>
  import('../pages/projects.tsx').then((page) => ({ default: page.ProjectsPage })),
);
const SettingsPage = lazy(() =>
  import('../pages/settings.tsx').then((page) => ({ default: page.SettingsPage })),
);
const FleetPage = lazy(() =>
  import('../pages/fleet.tsx').then((page) => ({ default: page.FleetPage })),
);
const ResourcesPage = lazy(() =>
  import('../pages/resources.tsx').then((page) => ({ default: page.ResourcesPage })),
);
const ResourcePage = lazy(() =>
  import('../pages/resource.tsx').then((page) => ({ default: page.ResourcePage })),
);
const AccountsPage = lazy(() =>
  import('../pages/accounts.tsx').then((page) => ({ default: page.AccountsPage })),
);
const AuditPage = lazy(() =>
  import('../pages/audit.tsx').then((page) => ({ default: page.AuditPage })),
);
const ErrorsPage = lazy(() =>
  import('../pages/errors.tsx').then((page) => ({ default: page.ErrorsPage })),
);

/** While a person waits for access, the session is read this often, because an operator grants access elsewhere. */
const accessCheckMs = 2_000;

export function App(): ReactElement {
  const session = useRead('getSession', {});
  const isWaiting =
    session.data?.state === 'signed_in' &&
    session.data.account.access === 'waiting' &&
    !session.data.account.restricted;
  const { refetch } = session;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void refetch(), accessCheckMs);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);

  if (session.data === undefined) {
    return (
      <main className="entry">
        {session.error === null ? (
          <Loading rows={3} />
        ) : (
          <Failure error={session.error} retry={session.refetch} />
        )}
      </main>
    );
  }
  if (session.data.state === 'signed_out') {
    setCsrfToken(undefined);
    return <SignInPage session={session.data} />;
  }
  setCsrfToken(session.data.csrf_token);
  return (
    <SessionContext value={session.data}>
      <OfflineBanner />
      <SignedInPages session={session.data} />
    </SessionContext>
  );
}

function SignedInPages({ session }: { readonly session: SignedIn }): ReactElement {
  const [location] = useLocation();
  const { account } = session;
  const isOutside =
    account.restricted || account.access === 'waiting' || account.onboarding === 'pending';
  if (isOutside && location === accountPath) return <OwnDataPage />;
  if (account.restricted) return <RestrictedPage />;
  if (location.startsWith('/invitation')) return <InvitationPage />;
  if (account.access === 'waiting' || account.onboarding === 'pending') return <WelcomePage />;
  return <Console session={session} />;
}

function Console({ session }: { readonly session: SignedIn }): ReactElement {
  const [location] = useLocation();
  const named = /^\/o\/([^/]+)/.exec(location)?.[1];
  const { organizations, account } = session;
  const organization =
    named === undefined
      ? organizations[0]
      : organizations.find(({ id }) => id === decodeURIComponent(named));
  const home =
    organizations[0] === undefined ? platformPath('fleet') : pathOf(organizations[0].id, 'keys');
  return (
    <div className="console">
      <a className="skip" href="#content">
        {texts.navigation.skip}
      </a>
      <Navigation organization={organization ?? organizations[0]} />
      <main id="content" tabIndex={-1}>
        <CrashBoundary place={location}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/">
                {organizations.length > 0 || account.operator ? (
                  <Redirect to={home} replace />
                ) : (
                  <NoOrganization />
                )}
              </Route>
              <Route path={accountPath}>
                <AccountPage />
              </Route>
              <Route path="/errors/:code?">
                <ErrorsPage />
              </Route>
              <Route path="/o/*?">
                {organization === undefined ? (
                  <NotFound />
                ) : (
                  <OrganizationContext value={organization}>
                    <BillingNotice />
                    <OrganizationPages key={organization.id} />
                  </OrganizationContext>
                )}
              </Route>
              <Route path="/platform/*?">
                {account.operator ? <PlatformPages /> : <NotFound />}
              </Route>
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </CrashBoundary>
      </main>
    </div>
  );
}

function OrganizationPages(): ReactElement {
  return (
    <Switch>
      <Route path="/o/:organization/keys" component={KeysPage} />
      <Route path="/o/:organization/playground" component={PlaygroundPage} />
      <Route path="/o/:organization/usage" component={UsagePage} />
      <Route path="/o/:organization/limits" component={LimitsPage} />
      <Route path="/o/:organization/requests" component={RequestsPage} />
      <Route path="/o/:organization/requests/:request">
        {({ request }) => <RequestPage request={request} />}
      </Route>
      <Route path="/o/:organization/members" component={MembersPage} />
      <Route path="/o/:organization/projects" component={ProjectsPage} />
      <Route path="/o/:organization/settings" component={SettingsPage} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function PlatformPages(): ReactElement {
  return (
    <Switch>
      <Route path="/platform/fleet" component={FleetPage} />
      <Route path="/platform/accounts" component={AccountsPage} />
      <Route path="/platform/audit" component={AuditPage} />
      <Route path="/platform/:kind">{({ kind }) => <ResourcesPage key={kind} kind={kind} />}</Route>
      <Route path="/platform/:kind/:id">
        {({ kind, id }) => <ResourcePage key={`${kind} ${id}`} kind={kind} id={id} />}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function NoOrganization(): ReactElement {
  return (
    <Page title={texts.noOrganization.title}>
      <Empty icon="organizations" title={texts.noOrganization.title}>
        <p>{texts.noOrganization.text}</p>
      </Empty>
    </Page>
  );
}
