import { type ReactElement, useState } from 'react';
import type { RouteReply, RouteRequest } from '../../../src/api/routes.ts';
import { addressOf } from '../api/client.ts';
import { useChange, usePages } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { Moment } from '../components/moment.tsx';
import { More } from '../components/more.tsx';
import { useNotice } from '../components/notices.tsx';
import { Filters, Page } from '../components/page.tsx';
import { Empty, Reading, describeError } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useSettled } from '../components/use-settled.ts';
import { useSession } from '../session/session-context.ts';
import { texts } from '../texts.ts';

const words = texts.accounts;
type Account = RouteReply<'listAccounts'>['accounts'][number];
type Action = RouteRequest<'changeAccount'>['params']['action'];
type Filter = 'waiting' | 'granted' | 'restricted' | 'operators';
const filters: readonly Filter[] = ['waiting', 'granted', 'restricted', 'operators'];

interface Pending {
  readonly account: Account;
  readonly action: Exclude<Action, 'grant' | 'unrestrict'>;
}

export function AccountsPage(): ReactElement {
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState<Filter | ''>('');
  const [pending, setPending] = useState<Pending>();
  const settled = useSettled(search);
  const query = {
    ...(settled === '' ? {} : { search: settled }),
    ...(filter === '' ? {} : { filter }),
  };
  const accounts = usePages('listAccounts', { query });
  return (
    <Page title={words.title} lead={words.lead}>
      <Filters>
        <TextField
          label={words.search}
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <ChoiceField
          label={words.state}
          value={filter}
          choose={setFilter}
          choices={[
            ['', words.all],
            ...filters.map((name) => [name, words.filters[name]] as const),
          ]}
        />
      </Filters>
      <Reading of={accounts}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.accounts);
          return rows.length === 0 ? (
            <Empty icon="accounts" title={texts.nothingFound} />
          ) : (
            <>
              <Table
                label={words.title}
                rows={rows}
                rowKey={({ id }) => id}
                columns={columnsOf(setPending)}
              />
              <More shown={rows.length} total={pages[0]?.total} of={accounts} />
            </>
          );
        }}
      </Reading>
      {pending === undefined ? null : (
        <ConfirmAction {...pending} close={() => setPending(undefined)} />
      )}
    </Page>
  );
}

function columnsOf(ask: (pending: Pending) => void): Column<Account>[] {
  return [
    {
      name: words.person,
      cell: ({ id, name, email }) => (
        <span className="two-lines" id={`account-${id}`}>
          <strong>{name}</strong>
          <span className="muted wraps">{email ?? id}</span>
        </span>
      ),
    },
    {
      name: words.state,
      cell: (account) => (
        <span className="badges">
          <Badge tone={account.access === 'granted' ? 'good' : 'warning'}>
            {words.access[account.access]}
          </Badge>
          {account.linked ? null : <Badge>{words.notLinked}</Badge>}
          {account.onboarding === 'pending' ? <Badge>{words.registering}</Badge> : null}
          {account.restricted ? <Badge tone="bad">{words.filters.restricted}</Badge> : null}
          {account.operator ? <Badge tone="accent">{words.filters.operators}</Badge> : null}
        </span>
      ),
    },
    {
      name: words.terms,
      cell: ({ terms_accepted_at_ms: at }) =>
        at === null ? <span className="muted">–</span> : <Moment at={at} />,
    },
    {
      name: words.created,
      cell: ({ created_at_ms: at }) =>
        at === null ? <span className="muted">–</span> : <Moment at={at} />,
    },
    {
      name: texts.actions,
      unnamed: true,
      cell: (account) => <Actions account={account} ask={ask} />,
    },
  ];
}

interface ActionsProps {
  readonly account: Account;
  readonly ask: (pending: Pending) => void;
}

/** Granting access and lifting a restriction are done at once. The other actions ask for confirmation first. */
function Actions({ account, ask }: ActionsProps): ReactElement {
  const session = useSession();
  const change = useChange('changeAccount', ['listAccounts', 'getSession']);
  const notice = useNotice();
  const about = { 'aria-describedby': `account-${account.id}` };
  const act = (action: 'grant' | 'unrestrict'): void => {
    change.mutate(
      { params: { account: account.id, action } },
      {
        onSuccess: () => notice(words.done[action](account.name)),
        onError: (error) => notice(describeError(error).message),
      },
    );
  };
  const confirmedActions: Pending['action'][] = [
    ...(account.access === 'granted' ? (['wait'] as const) : []),
    ...(account.restricted ? [] : (['restrict'] as const)),
    account.operator ? 'unmake-operator' : 'make-operator',
    'end-sessions',
    ...(account.id === session.account.id ? [] : (['erase'] as const)),
  ];
  return (
    <span className="row-actions">
      {account.access === 'waiting' ? (
        <Button look="primary" {...about} busy={change.isPending} onClick={() => act('grant')}>
          {words.actions.grant}
        </Button>
      ) : null}
      {account.restricted ? (
        <Button {...about} busy={change.isPending} onClick={() => act('unrestrict')}>
          {words.actions.unrestrict}
        </Button>
      ) : null}
      <details className="menu">
        <summary className="button quiet" {...about}>
          {words.more}
        </summary>
        <div className="menu-list">
          {confirmedActions.map((action) => (
            <Button key={action} look="quiet" onClick={() => ask({ account, action })}>
              {words.actions[action]}
            </Button>
          ))}
          <a
            className="button quiet"
            href={addressOf('exportPersonalData', { params: { account: account.id } })}
            download={`${account.id}.json`}
          >
            {words.export}
          </a>
        </div>
      </details>
    </span>
  );
}

function ConfirmAction({
  account,
  action,
  close,
}: Pending & { readonly close: () => void }): ReactElement {
  const change = useChange('changeAccount', ['listAccounts', 'getSession']);
  const notice = useNotice();
  return (
    <Confirm
      title={words.titles[action](account.name)}
      action={words.actions[action]}
      close={close}
      busy={change.isPending}
      error={change.error}
      {...(action === 'erase' ? { typed: account.id } : {})}
      confirm={async () => {
        await change.mutateAsync({ params: { account: account.id, action } });
        notice(words.done[action](account.name));
      }}
    >
      <p>{words.warnings[action]}</p>
    </Confirm>
  );
}
