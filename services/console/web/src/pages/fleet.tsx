import { type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Meter } from '../components/meter.tsx';
import { useNotice } from '../components/notices.tsx';
import { Filters, Page } from '../components/page.tsx';
import { Empty, Reading, describeError } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { formatCompact, formatCount, formatDuration, formatShare } from '../format/numbers.ts';
import { texts } from '../texts.ts';

const words = texts.fleet;
type Fleet = RouteReply<'getFleet'>;
type Worker = Fleet['workers'][number];

const tones: Readonly<Record<Worker['state'], Tone>> = {
  ready: 'good',
  full: 'accent',
  draining: 'warning',
  drained: 'neutral',
  no_models: 'warning',
  incompatible: 'bad',
  silent: 'bad',
};
const isState = (name: string): name is Worker['state'] => Object.hasOwn(tones, name);
const pageSize = 50;

export function FleetPage(): ReactElement {
  const fleet = useRead('getFleet', {}, { every: 2_000 });
  const [search, setSearch] = useState('');
  const [pool, setPool] = useState('');
  const [state, setState] = useState('');
  const [rowCount, setRowCount] = useState(pageSize);
  const [draining, setDraining] = useState<Worker>();
  return (
    <Page title={words.title} lead={words.lead}>
      <Reading of={fleet}>
        {({ connected, pools, workers }) => {
          const rows = filterWorkers(workers, { search, pool, state });
          return (
            <>
              {connected ? null : <p className="notice-line">{words.disconnected}</p>}
              <Pools pools={pools} />
              <Filters>
                <TextField
                  label={words.search}
                  type="search"
                  value={search}
                  onChange={({ currentTarget }) => setSearch(currentTarget.value)}
                />
                <SelectField
                  label={words.pool}
                  value={pool}
                  onChange={({ currentTarget }) => setPool(currentTarget.value)}
                >
                  <option value="">{words.allPools}</option>
                  {pools.map(({ pool: name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </SelectField>
                <SelectField
                  label={words.state}
                  value={state}
                  onChange={({ currentTarget }) => setState(currentTarget.value)}
                >
                  <option value="">{words.allStates}</option>
                  {Object.keys(tones)
                    .filter(isState)
                    .map((name) => (
                      <option key={name} value={name}>
                        {words.states[name]}
                      </option>
                    ))}
                </SelectField>
              </Filters>
              {rows.length === 0 ? (
                <Empty
                  icon="fleet"
                  title={workers.length === 0 ? words.emptyTitle : texts.nothingFound}
                >
                  <p>{workers.length === 0 ? words.emptyText : texts.nothingFoundText}</p>
                </Empty>
              ) : (
                <>
                  <Table
                    label={words.workers}
                    rows={rows.slice(0, rowCount)}
                    rowKey={({ worker }) => worker}
                    columns={columnsOf(setDraining)}
                  />
                  <div className="more">
                    <span>{words.shown(Math.min(rowCount, rows.length), rows.length)}</span>
                    {rows.length > rowCount ? (
                      <Button onClick={() => setRowCount(rowCount + pageSize)}>
                        {texts.showMore}
                      </Button>
                    ) : null}
                  </div>
                </>
              )}
            </>
          );
        }}
      </Reading>
      {draining === undefined ? null : (
        <DrainWorker worker={draining} close={() => setDraining(undefined)} />
      )}
    </Page>
  );
}

interface WorkerFilter {
  readonly search: string;
  readonly pool: string;
  readonly state: string;
}

function filterWorkers(workers: readonly Worker[], filter: WorkerFilter): Worker[] {
  const wanted = filter.search.trim().toLowerCase();
  return workers.filter(
    ({ worker, name, host, models, pool, state }) =>
      (filter.pool === '' || filter.pool === pool) &&
      (filter.state === '' || filter.state === state) &&
      (wanted === '' ||
        [worker, name, host ?? '', ...models].some((text) => text.toLowerCase().includes(wanted))),
  );
}

function Pools({ pools }: { readonly pools: Fleet['pools'] }): ReactElement | null {
  if (pools.length === 0) return null;
  return (
    <div className="pool-grid">
      {pools.map((pool) => (
        <section key={pool.pool} className="card pool" aria-label={words.poolNamed(pool.pool)}>
          <h2>{pool.pool}</h2>
          <p className="figure">
            {formatCount(pool.running)}{' '}
            <span className="of">{words.ofSlots(formatCount(pool.slots))}</span>
          </p>
          <Meter share={pool.slots === 0 ? 0 : pool.running / pool.slots} tone="accent" />
          <p className="limit-facts">
            <span>{words.workerCount(pool.workers)}</span>
            <span>{words.queuedCount(formatCount(pool.queued))}</span>
            <span>{words.tokenRate(formatCompact(pool.tokens_per_second))}</span>
          </p>
        </section>
      ))}
    </div>
  );
}

function columnsOf(drain: (worker: Worker) => void): Column<Worker>[] {
  return [
    {
      name: words.worker,
      cell: ({ worker, name, host, version }) => (
        <span className="two-lines" id={`worker-${worker}`}>
          <strong title={worker}>{name}</strong>
          <span className="muted">
            {host ?? words.unknownHost} · {version}
          </span>
        </span>
      ),
    },
    {
      name: words.state,
      cell: ({ state, heard_ms_ago: ago }) => (
        <span className="two-lines">
          <Badge tone={tones[state]}>{words.states[state]}</Badge>
          {state === 'silent' ? (
            <span className="muted">{words.heard(formatDuration(ago))}</span>
          ) : null}
        </span>
      ),
    },
    {
      name: words.models,
      cell: ({ models }) => (
        <span className="wraps" title={models.join(', ')}>
          {models.slice(0, 3).join(', ')}
          {models.length > 3 ? ` ${words.andMore(models.length - 3)}` : ''}
        </span>
      ),
    },
    {
      name: words.slots,
      number: true,
      cell: ({ running, slots }) => `${formatCount(running)} / ${formatCount(slots)}`,
    },
    {
      name: words.queue,
      number: true,
      cell: ({ queued, queue_limit: limit }) => `${formatCount(queued)} / ${formatCount(limit)}`,
    },
    {
      name: words.runtime,
      cell: ({ runtime_load: load }) =>
        load === null ? (
          <span className="muted">–</span>
        ) : (
          <span className="two-lines">
            <span>{words.runtimeLoad(formatCount(load.running), formatCount(load.waiting))}</span>
            {load.cache_use === null ? null : (
              <span className="muted">{words.cache(formatShare(load.cache_use))}</span>
            )}
          </span>
        ),
    },
    {
      name: words.rate,
      number: true,
      cell: ({ tokens_per_second: rate }) => (rate === null ? '–' : formatCompact(rate)),
    },
    {
      name: texts.actions,
      unnamed: true,
      cell: (worker) => <DrainButton worker={worker} drain={drain} />,
    },
  ];
}

interface DrainButtonProps {
  readonly worker: Worker;
  readonly drain: (worker: Worker) => void;
}

function DrainButton({ worker, drain }: DrainButtonProps): ReactElement | null {
  const undrain = useChange('undrainWorker', ['getFleet']);
  const notice = useNotice();
  const about = { 'aria-describedby': `worker-${worker.worker}` };
  if (worker.state === 'silent') return null;
  if (worker.state !== 'draining' && worker.state !== 'drained') {
    return (
      <Button look="quiet" {...about} onClick={() => drain(worker)}>
        {words.drain}
      </Button>
    );
  }
  return (
    <Button
      look="quiet"
      {...about}
      busy={undrain.isPending}
      onClick={() => {
        undrain.mutate(
          { params: { worker: worker.worker } },
          {
            onSuccess: () => notice(words.undrained(worker.name)),
            onError: (error) => notice(describeError(error).message),
          },
        );
      }}
    >
      {words.undrain}
    </Button>
  );
}

interface DrainWorkerProps {
  readonly worker: Worker;
  readonly close: () => void;
}

function DrainWorker({ worker, close }: DrainWorkerProps): ReactElement {
  const drain = useChange('drainWorker', ['getFleet']);
  const notice = useNotice();
  return (
    <Confirm
      title={words.drainTitle(worker.name)}
      action={words.drain}
      close={close}
      busy={drain.isPending}
      error={drain.error}
      confirm={async () => {
        await drain.mutateAsync({ params: { worker: worker.worker } });
        notice(words.drained(worker.name));
      }}
    >
      <p>{words.drainText(formatCount(worker.running), formatCount(worker.queued))}</p>
    </Confirm>
  );
}
