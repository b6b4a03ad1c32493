import { type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, usePages } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { More } from '../components/more.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card, Filters, Page } from '../components/page.tsx';
import { Failure, Reading } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useSettled } from '../components/use-settled.ts';
import {
  type Role,
  hasRole,
  rolesUpTo,
  useOrganization,
  useSession,
} from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { Invitations } from './invitations.tsx';

const words = texts.members;
type Member = RouteReply<'listMembers'>['members'][number];

export function MembersPage(): ReactElement {
  const { id: organization, role } = useOrganization();
  const { account } = useSession();
  const [search, setSearch] = useState('');
  const settled = useSettled(search);
  const query = settled === '' ? {} : { search: settled };
  const members = usePages('listMembers', { params: { organization }, query });
  const change = useChange('changeMember', ['listMembers', 'getSession']);
  const notice = useNotice();
  const [removing, setRemoving] = useState<Member>();
  const manages = hasRole(role, 'admin');

  const setRole = async (member: Member, to: Role): Promise<void> => {
    const params = { organization, account: member.account };
    await change.mutateAsync({ params, body: { role: to } }).then(
      () => notice(words.changed(member.name, texts.roles[to])),
      () => undefined,
    );
  };
  const columns: Column<Member>[] = [
    {
      name: words.person,
      cell: (member) => (
        <span className="two-lines" id={`member-${member.account}`}>
          <strong>
            {member.name}
            {member.account === account.id ? ` (${words.you})` : ''}
          </strong>
          <span className="muted">{member.email ?? member.account}</span>
        </span>
      ),
    },
    {
      name: words.role,
      cell: (member) =>
        manages && hasRole(role, member.role) ? (
          <ChoiceField
            bare
            label={words.roleOf(member.name)}
            value={member.role}
            choose={(to) => void setRole(member, to)}
            choices={rolesUpTo(role).map((name) => [name, texts.roles[name]])}
          />
        ) : (
          texts.roles[member.role]
        ),
    },
    {
      name: words.state,
      cell: ({ active }) => (
        <Badge tone={active ? 'good' : 'neutral'}>{active ? words.active : words.inactive}</Badge>
      ),
    },
    {
      name: texts.actions,
      unnamed: true,
      cell: (member) =>
        member.account === account.id || (manages && hasRole(role, member.role)) ? (
          <Button
            look="quiet"
            className="danger-text"
            aria-describedby={`member-${member.account}`}
            onClick={() => setRemoving(member)}
          >
            {member.account === account.id ? words.leave : words.remove}
          </Button>
        ) : null,
    },
  ];
  return (
    <Page title={words.title} lead={words.lead}>
      {change.error === null ? null : <Failure error={change.error} />}
      <Filters>
        <TextField
          label={words.search}
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </Filters>
      <Reading of={members}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.members);
          return (
            <>
              <Table
                label={words.title}
                rows={rows}
                rowKey={({ account }) => account}
                columns={columns}
              />
              <More shown={rows.length} total={pages[0]?.total} of={members} />
            </>
          );
        }}
      </Reading>
      {manages ? <Invitations /> : null}
      <Card title={words.rolesTitle}>
        <dl className="role-list">
          {rolesUpTo('owner').map((name) => (
            <div key={name}>
              <dt>{texts.roles[name]}</dt>
              <dd>{words.roleTexts[name]}</dd>
            </div>
          ))}
        </dl>
      </Card>
      {removing === undefined ? null : (
        <RemoveMember
          organization={organization}
          member={removing}
          self={removing.account === account.id}
          close={() => setRemoving(undefined)}
        />
      )}
    </Page>
  );
}

interface RemoveMemberProps {
  readonly organization: string;
  readonly member: Member;
  readonly self: boolean;
  readonly close: () => void;
}

function RemoveMember({ organization, member, self, close }: RemoveMemberProps): ReactElement {
  const remove = useChange('removeMember', ['listMembers', 'getSession']);
  const notice = useNotice();
  return (
    <Confirm
      title={self ? words.leaveTitle : words.removeTitle(member.name)}
      action={self ? words.leave : words.remove}
      close={close}
      busy={remove.isPending}
      error={remove.error}
      confirm={async () => {
        await remove.mutateAsync({ params: { organization, account: member.account } });
        notice(self ? words.left : words.removed(member.name));
      }}
    >
      <p>{self ? words.leaveText : words.removeText}</p>
    </Confirm>
  );
}
