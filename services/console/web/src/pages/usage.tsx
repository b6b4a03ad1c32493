import { type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { addressOf } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Chart } from '../components/chart.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { Icon } from '../components/icons.tsx';
import { Card, Filters, Page } from '../components/page.tsx';
import { Empty, Reading } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useNow } from '../components/use-now.ts';
import { useSettled } from '../components/use-settled.ts';
import { formatGroupStart } from '../format/moments.ts';
import { formatCompact, formatCount, formatMoney } from '../format/numbers.ts';
import { useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { FreshnessNote } from './freshness-note.tsx';
import { MonthSpendCard } from './month-spend.tsx';
import { ProjectFilter, useProjects } from './project-select.tsx';
import { PERIODS, type Period, groupStarts, spanOf, unitOf } from './usage-period.ts';
import { METRICS, type Metric, seriesOf } from './usage-series.ts';

const words = texts.usage;
type Usage = RouteReply<'getUsage'>;
type Group = Usage['groups'][number];
type Split = '' | 'project' | 'key' | 'model';

/** Usage is read this often, so that a request shows up within two seconds after its end. */
const readEveryMs = 1_000;
/** The usage of ten thousand keys takes seconds to add up and to name. */
const readSplitEveryMs = 10_000;

export function UsagePage(): ReactElement {
  const { id: organization } = useOrganization();
  const projects = useProjects(organization);
  const [period, setPeriod] = useState<Period>('week');
  const [split, setSplit] = useState<Split>('');
  const [metric, setMetric] = useState<Metric>('requests');
  const [project, setProject] = useState('');
  const [model, setModel] = useState('');
  const settledModel = useSettled(model.trim());
  const unit = unitOf(period);
  const span = spanOf(period, useNow(15_000));
  const filters = {
    ...span,
    ...(project === '' ? {} : { project }),
    ...(settledModel === '' ? {} : { model: settledModel }),
  };
  const params = { organization };
  const ask = { params, query: { ...filters, by: split === '' ? unit : `${unit},${split}` } };
  const every = split === '' ? readEveryMs : readSplitEveryMs;
  const usage = useRead('getUsage', ask, { every, keepPrevious: true });
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <a className="button" href={addressOf('getUsageFile', ask)} download>
          <Icon name="download" />
          {words.csv}
        </a>
      }
    >
      <Filters>
        <ChoiceField
          label={words.period}
          value={period}
          choose={setPeriod}
          choices={PERIODS.map((name) => [name, words.periods[name]])}
        />
        <ChoiceField
          label={words.split}
          value={split}
          choose={setSplit}
          choices={[
            ['', words.noSplit],
            ['project', words.splits.project],
            ['key', words.splits.key],
            ['model', words.splits.model],
          ]}
        />
        <ProjectFilter projects={projects.data ?? []} project={project} choose={setProject} />
        <TextField
          label={words.model}
          type="search"
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
        />
      </Filters>
      <Reading of={usage}>
        {(read) => (
          <>
            <FreshnessNote freshness={read.freshness} />
            <Figures usage={read} metric={metric} choose={setMetric} />
            {read.total.requests === 0 ? (
              <Empty icon="usage" title={words.emptyTitle}>
                <p>{words.emptyText}</p>
              </Empty>
            ) : (
              <Card title={words.over(words.metrics[metric])} lead={words.inUtc}>
                <Chart
                  label={words.chartLabel(words.metrics[metric])}
                  series={seriesOf(read.groups, groupStarts(span, unit), metric, words.seriesNames)}
                  columns={groupStarts(span, unit).map((start) =>
                    formatGroupStart(new Date(start).toISOString(), unit),
                  )}
                  format={(value) =>
                    metric === 'spend'
                      ? formatMoney(value.toString(), read.currency)
                      : formatCompact(value)
                  }
                />
                <UsageTable usage={read} unit={unit} split={split} />
              </Card>
            )}
            <MonthSpendCard />
          </>
        )}
      </Reading>
    </Page>
  );
}

interface FiguresProps {
  readonly usage: Usage;
  readonly metric: Metric;
  readonly choose: (metric: Metric) => void;
}

/** The totals. Each is a button that shows the values of the metric in the chart. */
function Figures({ usage, metric, choose }: FiguresProps): ReactElement {
  const { total, currency } = usage;
  const figures: Readonly<Record<Metric, string | null>> = {
    requests: formatCount(total.requests),
    input: formatCompact(total.input_tokens),
    output: formatCompact(total.output_tokens),
    cached: formatCompact(total.cached_tokens),
    reasoning: formatCompact(total.reasoning_tokens),
    spend: total.spend === null ? null : formatMoney(total.spend, currency),
  };
  return (
    <div className="figures" role="group" aria-label={words.totals}>
      {METRICS.map((name) => {
        const figure = figures[name];
        return figure === null ? null : (
          <button
            key={name}
            type="button"
            className="figure-button"
            aria-pressed={name === metric}
            onClick={() => choose(name)}
          >
            <span className="figure-name">{words.metrics[name]}</span>
            <span className="figure">{figure}</span>
            {name === 'requests' && total.failed + total.refused > 0 ? (
              <span className="muted">
                {words.notCompleted(formatCount(total.failed), formatCount(total.refused))}
              </span>
            ) : null}
            {name === 'spend' && total.unpriced > 0 ? (
              <span className="muted">{words.unpriced(formatCount(total.unpriced))}</span>
            ) : null}
          </button>
        );
      })}
    </div>
  );
}

const shownRows = 50;

interface UsageTableProps {
  readonly usage: Usage;
  readonly unit: 'hour' | 'day' | 'month';
  readonly split: Split;
}

function UsageTable({ usage, unit, split }: UsageTableProps): ReactElement {
  const [rowCount, setRowCount] = useState(shownRows);
  const rows = usage.groups.toReversed();
  const columns: Column<Group>[] = [
    {
      name: words.units[unit],
      cell: ({ names }) => formatGroupStart(names[0] ?? '', unit),
    },
    ...(split === ''
      ? []
      : [
          {
            name: words.splits[split],
            cell: ({ labels, names }: Group) => (
              <span className="wraps">{labels[1] ?? names[1]}</span>
            ),
          },
        ]),
    count(words.metrics.requests, ({ sums }) => sums.requests),
    count(words.metrics.input, ({ sums }) => sums.input_tokens),
    count(words.metrics.cached, ({ sums }) => sums.cached_tokens),
    count(words.metrics.output, ({ sums }) => sums.output_tokens),
    count(words.metrics.reasoning, ({ sums }) => sums.reasoning_tokens),
    ...(usage.total.spend === null
      ? []
      : [
          {
            name: words.metrics.spend,
            number: true,
            cell: ({ sums }: Group) =>
              sums.spend === null ? '–' : formatMoney(sums.spend, usage.currency),
          },
        ]),
  ];
  return (
    <details className="table-behind">
      <summary>{words.asTable}</summary>
      <Table
        label={words.title}
        rows={rows.slice(0, rowCount)}
        rowKey={({ names }) => names.join(' ')}
        columns={columns}
      />
      {rows.length > rowCount ? (
        <button type="button" className="button" onClick={() => setRowCount(rowCount + shownRows)}>
          {texts.showMore}
        </button>
      ) : null}
      {usage.groups_left_out > 0 ? (
        <p className="muted">{words.leftOut(formatCount(usage.groups_left_out))}</p>
      ) : null}
    </details>
  );
}

function count(name: string, value: (group: Group) => number): Column<Group> {
  return { name, number: true, cell: (group) => formatCount(value(group)) };
}
