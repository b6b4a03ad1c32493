import { type SubmitEvent, type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Secret } from '../components/copy.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { FutureMoment } from '../components/moment.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card } from '../components/page.tsx';
import { Failure, Reading } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { type Role, rolesUpTo, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';

const words = texts.invitations;
type Invitation = RouteReply<'listInvitations'>['invitations'][number];

export function Invitations(): ReactElement {
  const { id: organization } = useOrganization();
  const invitations = useRead('listInvitations', { params: { organization } });
  const [revoking, setRevoking] = useState<Invitation>();
  const revoke = useChange('revokeInvitation', ['listInvitations']);
  const notice = useNotice();
  return (
    <Card title={words.title} lead={words.lead}>
      <CreateInvitation />
      <Reading of={invitations} rows={2}>
        {({ invitations: rows }) =>
          rows.length === 0 ? (
            <p className="muted">{words.none}</p>
          ) : (
            <Table
              label={words.title}
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                {
                  name: words.for,
                  cell: ({ id, email }) => (
                    <span id={`invitation-${id}`}>{email ?? words.anyone}</span>
                  ),
                },
                { name: texts.members.role, cell: ({ role }) => texts.roles[role] },
                {
                  name: words.expires,
                  cell: ({ expires_at_ms: at }) => <FutureMoment at={at} />,
                },
                {
                  name: texts.actions,
                  unnamed: true,
                  cell: (invitation) => (
                    <Button
                      look="quiet"
                      className="danger-text"
                      aria-describedby={`invitation-${invitation.id}`}
                      onClick={() => setRevoking(invitation)}
                    >
                      {words.revoke}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Reading>
      {revoking === undefined ? null : (
        <Confirm
          title={words.revokeTitle}
          action={words.revoke}
          close={() => setRevoking(undefined)}
          busy={revoke.isPending}
          error={revoke.error}
          confirm={async () => {
            await revoke.mutateAsync({ params: { organization, invitation: revoking.id } });
            notice(words.revoked);
          }}
        >
          <p>{words.revokeText}</p>
        </Confirm>
      )}
    </Card>
  );
}

function CreateInvitation(): ReactElement {
  const { id: organization, role: own } = useOrganization();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [url, setUrl] = useState<string>();
  const create = useChange('createInvitation', ['listInvitations']);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const body = { role, email: email.trim() === '' ? null : email.trim() };
    const made = await create
      .mutateAsync({ params: { organization }, body })
      .catch(() => undefined);
    if (made === undefined) return;
    setUrl(made.url);
    setEmail('');
  };
  if (url !== undefined) {
    return (
      <div className="stack">
        <p>{words.onlyOnce}</p>
        <Secret value={url} label={words.link} copy={words.copy} done={texts.copied} />
        <Button onClick={() => setUrl(undefined)}>{words.done}</Button>
      </div>
    );
  }
  return (
    <>
      <form className="row-form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={words.email}
          hint={words.emailHint}
          type="email"
          autoComplete="off"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <ChoiceField
          label={texts.members.role}
          value={role}
          choose={setRole}
          choices={rolesUpTo(own).map((name) => [name, texts.roles[name]])}
        />
        <Button type="submit" look="primary" busy={create.isPending}>
          {words.create}
        </Button>
      </form>
      {create.error === null ? null : <Failure error={create.error} />}
    </>
  );
}
