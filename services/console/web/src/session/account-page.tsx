import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../api/client.ts';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Icon } from '../components/icons.tsx';
import { Card, Page } from '../components/page.tsx';
import { texts } from '../texts.ts';
import { Entry } from './entry.tsx';
import { useLeaveSession } from './leave-session.ts';
import { useSession } from './session-context.ts';
import { WhoIsSignedIn } from './welcome-page.tsx';

const words = texts.account;

export function AccountPage(): ReactElement {
  const { account, organizations } = useSession();
  return (
    <Page title={words.title} lead={words.lead}>
      <Card title={words.person}>
        <dl className="facts-list">
          <div>
            <dt>{words.name}</dt>
            <dd>{account.name}</dd>
          </div>
          <div>
            <dt>{words.email}</dt>
            <dd>{account.email ?? '–'}</dd>
          </div>
          <div>
            <dt>{words.id}</dt>
            <dd>
              <code>{account.id}</code>
            </dd>
          </div>
          <div>
            <dt>{words.organizations}</dt>
            <dd>
              {organizations.map(({ name, role }) => `${name} (${texts.roles[role]})`).join(', ') ||
                '–'}
            </dd>
          </div>
        </dl>
      </Card>
      <Card title={words.export} lead={words.exportLead}>
        <DownloadLink />
      </Card>
      <Card title={words.erase} lead={words.eraseLead}>
        <EraseAccount />
      </Card>
    </Page>
  );
}

/** The same for people who wait for access or are restricted, and therefore have no console around it. */
export function OwnDataPage(): ReactElement {
  const session = useSession();
  return (
    <Entry title={words.title} below={<WhoIsSignedIn session={session} />}>
      <p className="muted">{words.exportLead}</p>
      <DownloadLink />
      <p className="muted">{words.eraseLead}</p>
      <EraseAccount />
      <Link href="/">{words.back}</Link>
    </Entry>
  );
}

function DownloadLink(): ReactElement {
  const { account } = useSession();
  return (
    <a
      className="button"
      href={addressOf('exportOwnData', {})}
      download={`sluice-${account.id}.json`}
    >
      <Icon name="download" />
      {words.download}
    </a>
  );
}

function EraseAccount(): ReactElement {
  const { account } = useSession();
  const [asking, setAsking] = useState(false);
  const erase = useChange('eraseOwnAccount', []);
  const leaveSession = useLeaveSession();
  if (account.operator) return <p className="muted">{words.operatorsAsk}</p>;
  if (account.restricted) return <p className="muted">{words.restrictedAsk}</p>;
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.eraseAccount}
      </Button>
      {asking ? (
        <Confirm
          title={words.eraseTitle}
          action={words.eraseAccount}
          typed={account.email ?? account.id}
          close={() => setAsking(false)}
          busy={erase.isPending}
          error={erase.error}
          confirm={async () => {
            const { sign_out_url: providerUrl } = await erase.mutateAsync({
              body: { account: account.id },
            });
            await leaveSession(providerUrl);
          }}
        >
          <p>{words.eraseText}</p>
        </Confirm>
      ) : null}
    </>
  );
}
