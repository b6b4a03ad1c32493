import { type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, usePages } from '../api/queries.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { FutureMoment, Moment, RelativeMoment } from '../components/moment.tsx';
import { More } from '../components/more.tsx';
import { useNotice } from '../components/notices.tsx';
import { Filters, Page } from '../components/page.tsx';
import { Empty, Reading } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useSettled } from '../components/use-settled.ts';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { CreateKey } from './create-key.tsx';
import { FirstProject } from './create-project.tsx';
import { ProjectFilter, useProjects } from './project-select.tsx';

const words = texts.keys;
type Key = RouteReply<'listKeys'>['keys'][number];
const tones: Readonly<Record<Key['state'], Tone>> = {
  active: 'good',
  expired: 'warning',
  revoked: 'neutral',
};

export function KeysPage(): ReactElement {
  const { id: organization, role } = useOrganization();
  const projects = useProjects(organization);
  const [search, setSearch] = useState('');
  const [project, setProject] = useState('');
  const [state, setState] = useState<Key['state'] | ''>('');
  const settled = useSettled(search);
  const query = {
    ...(settled === '' ? {} : { search: settled }),
    ...(project === '' ? {} : { project }),
    ...(state === '' ? {} : { state }),
  };
  const keys = usePages('listKeys', { params: { organization }, query });
  const [revoking, setRevoking] = useState<Key>();
  const filtered = Object.keys(query).length > 0;
  const known = projects.data ?? [];
  const creates = hasRole(role, 'member');
  const lacksProject = projects.data?.length === 0;

  return (
    <Page title={words.title} lead={words.lead}>
      {creates && lacksProject ? <FirstProject /> : null}
      {creates && !lacksProject ? <CreateKey projects={known} /> : null}
      <Filters>
        <TextField
          label={words.search}
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <ProjectFilter projects={known} project={project} choose={setProject} />
        <ChoiceField
          label={words.state}
          value={state}
          choose={setState}
          choices={[
            ['', words.allStates],
            ['active', words.states.active],
            ['expired', words.states.expired],
            ['revoked', words.states.revoked],
          ]}
        />
      </Filters>
      <Reading of={keys}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.keys);
          if (rows.length === 0) {
            return (
              <Empty icon="key" title={filtered ? texts.nothingFound : words.emptyTitle}>
                {filtered ? <p>{texts.nothingFoundText}</p> : null}
                {!filtered && creates && !lacksProject ? <p>{words.emptyText}</p> : null}
              </Empty>
            );
          }
          const lastUseKnown = pages.every((page) => page.last_use_known);
          return (
            <>
              {lastUseKnown ? null : <p className="muted">{words.lastUseUnknown}</p>}
              <Table
                label={words.title}
                rows={rows}
                rowKey={({ id }) => id}
                columns={columnsOf(known, lastUseKnown, setRevoking)}
              />
              <More shown={rows.length} total={pages[0]?.total} of={keys} />
            </>
          );
        }}
      </Reading>
      {revoking === undefined ? null : (
        <RevokeKey
          organization={organization}
          revoked={revoking}
          close={() => setRevoking(undefined)}
        />
      )}
    </Page>
  );
}

function columnsOf(
  projects: readonly { readonly id: string; readonly name: string }[],
  lastUseKnown: boolean,
  revoke: (key: Key) => void,
): Column<Key>[] {
  return [
    {
      name: words.name,
      cell: ({ id, name, last_four: lastFour }) => (
        <span className="two-lines" id={`key-${id}`}>
          <strong>{name}</strong>
          <code>…{lastFour}</code>
        </span>
      ),
    },
    {
      name: texts.projects.one,
      cell: ({ project }) => projects.find(({ id }) => id === project)?.name ?? project,
    },
    {
      name: words.state,
      cell: ({ state, revoked_at_ms: at }) => (
        <span className="two-lines">
          <Badge tone={tones[state]}>{words.states[state]}</Badge>
          {at === null ? null : <RelativeMoment at={at} />}
        </span>
      ),
    },
    {
      name: words.created,
      cell: ({ created_at_ms: at, creator_name: creator }) => (
        <span className="two-lines">
          <Moment at={at} />
          <span className="muted">{creator}</span>
        </span>
      ),
    },
    {
      name: words.lastUse,
      cell: ({ last_used_at_ms: at }) =>
        at === null ? (
          <span className="muted">{lastUseKnown ? words.neverUsed : words.unknown}</span>
        ) : (
          <RelativeMoment at={at} />
        ),
    },
    {
      name: words.expires,
      cell: ({ expires_at_ms: at }) =>
        at === null ? <span className="muted">{words.never}</span> : <FutureMoment at={at} />,
    },
    {
      name: texts.actions,
      unnamed: true,
      cell: (key) =>
        key.can_revoke && key.state !== 'revoked' ? (
          <Button
            look="quiet"
            className="danger-text"
            aria-describedby={`key-${key.id}`}
            onClick={() => revoke(key)}
          >
            {words.revoke}
          </Button>
        ) : null,
    },
  ];
}

function RevokeKey({
  organization,
  revoked,
  close,
}: {
  readonly organization: string;
  readonly revoked: Key;
  readonly close: () => void;
}): ReactElement {
  const revoke = useChange('revokeKey', ['listKeys']);
  const notice = useNotice();
  return (
    <Confirm
      title={words.revokeTitle(revoked.name)}
      action={words.revoke}
      close={close}
      busy={revoke.isPending}
      error={revoke.error}
      confirm={async () => {
        await revoke.mutateAsync({ params: { organization, key: revoked.id } });
        notice(words.revoked(revoked.name));
      }}
    >
      <p>{words.revokeText}</p>
    </Confirm>
  );
}
