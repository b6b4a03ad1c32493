import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import type { RouteReply } from '../../../src/api/routes.ts';
import { usePages } from '../api/queries.ts';
import { ChoiceField, SelectField, TextField } from '../components/field.tsx';
import { Moment } from '../components/moment.tsx';
import { More } from '../components/more.tsx';
import { Filters, Page } from '../components/page.tsx';
import { Empty, Reading } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useSettled } from '../components/use-settled.ts';
import { formatCount, formatDuration, formatMoney } from '../format/numbers.ts';
import { useOrganization } from '../session/session-context.ts';
import { pathOfRequest } from '../shell/paths.ts';
import { texts } from '../texts.ts';
import { FreshnessNote } from './freshness-note.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { ProjectFilter, useProjects } from './project-select.tsx';

const words = texts.requests;
type Request = RouteReply<'listRequests'>['requests'][number];
type Outcome = 'completed' | 'cancelled' | 'failed' | 'refused';
const hour = 3_600_000;

export function RequestsPage(): ReactElement {
  const { id: organization } = useOrganization();
  const projects = useProjects(organization);
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const [project, setProject] = useState('');
  const [model, setModel] = useState('');
  const [hours, setHours] = useState('24');
  const [opened] = useState(() => Date.now());
  const settledModel = useSettled(model.trim());
  const query = {
    ...(hours === '' ? {} : { since: opened - Number(hours) * hour }),
    ...(outcome === '' ? {} : { outcome }),
    ...(project === '' ? {} : { project }),
    ...(settledModel === '' ? {} : { model: settledModel }),
  };
  const requests = usePages('listRequests', { params: { organization }, query });
  const known = projects.data ?? [];
  return (
    <Page title={words.title} lead={words.lead}>
      <Filters>
        <SelectField
          label={words.period}
          value={hours}
          onChange={({ currentTarget }) => setHours(currentTarget.value)}
        >
          <option value="1">{words.lastHour}</option>
          <option value="24">{words.lastDay}</option>
          <option value="168">{words.lastWeek}</option>
          <option value="">{words.anyTime}</option>
        </SelectField>
        <ChoiceField
          label={words.outcome}
          value={outcome}
          choose={setOutcome}
          choices={[
            ['', words.anyOutcome],
            ['completed', words.outcomes.completed],
            ['cancelled', words.outcomes.cancelled],
            ['failed', words.outcomes.failed],
            ['refused', words.outcomes.refused],
          ]}
        />
        <TextField
          label={words.model}
          type="search"
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
        />
        <ProjectFilter projects={known} project={project} choose={setProject} />
      </Filters>
      <Reading of={requests}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.requests);
          const freshness = pages[0]?.freshness;
          return (
            <>
              {freshness === undefined ? null : <FreshnessNote freshness={freshness} />}
              {rows.length === 0 ? (
                <Empty icon="requests" title={words.emptyTitle}>
                  <p>{words.emptyText}</p>
                </Empty>
              ) : (
                <>
                  <Table
                    label={words.title}
                    rows={rows}
                    rowKey={({ id }) => id}
                    columns={columnsOf(organization, known, pages[0]?.currency ?? null)}
                  />
                  <More shown={rows.length} total={pages[0]?.total} of={requests} />
                </>
              )}
            </>
          );
        }}
      </Reading>
    </Page>
  );
}

function columnsOf(
  organization: string,
  projects: readonly { readonly id: string; readonly name: string }[],
  currency: string | null,
): Column<Request>[] {
  return [
    {
      name: words.time,
      cell: ({ id, received_at_ms: at }) => (
        <Link href={pathOfRequest(organization, id)}>
          <Moment at={at} exact />
        </Link>
      ),
    },
    {
      name: words.outcome,
      cell: ({ outcome, code }) => (
        <span className="two-lines">
          <OutcomeBadge outcome={outcome} />
          {code === null ? null : <code>{code}</code>}
        </span>
      ),
    },
    { name: words.model, cell: ({ model }) => <span className="wraps">{model}</span> },
    {
      name: texts.projects.one,
      cell: ({ project }) => projects.find(({ id }) => id === project)?.name ?? project,
    },
    {
      name: words.inputTokens,
      number: true,
      cell: ({ input_tokens: count }) => formatCount(count),
    },
    {
      name: words.outputTokens,
      number: true,
      cell: ({ output_tokens: count }) => formatCount(count),
    },
    {
      name: words.spend,
      number: true,
      cell: ({ spend }) => (spend === null ? '–' : formatMoney(spend, currency)),
    },
    {
      name: words.firstToken,
      number: true,
      cell: ({ first_token_ms: after }) => (after === null ? '–' : formatDuration(after)),
    },
    {
      name: words.duration,
      number: true,
      cell: ({ duration_ms: took }) => formatDuration(took),
    },
  ];
}
