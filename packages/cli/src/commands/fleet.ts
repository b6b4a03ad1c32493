import { setTimeout as delay } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL_MS } from '@sluice/contracts';
import { BUS_OPTIONS, BUS_OPTIONS_HELP, withBus } from '../bus/with-bus.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { awaitWorker } from '../fleet/drain-worker.ts';
import { labelOf } from '../fleet/find-worker.ts';
import type { FleetView, WorkerRow } from '../fleet/fleet-view.ts';
import { listenToFleet } from '../fleet/listen-to-fleet.ts';
import { LIST_FORMATS, outputHelp, type Shown } from '../output/formats.ts';
import type { Screen } from '../screen.ts';
import { table } from '../table.ts';

/** Long enough for two heartbeats of every worker, because the token rate is computed from two. */
const LISTEN_MS = 2 * HEARTBEAT_INTERVAL_MS + 300;
/** Every worker sends a heartbeat within this time, unless it is late. */
const LISTEN_TO_ONE_MS = HEARTBEAT_INTERVAL_MS + 100;
const REDRAW_MS = 1_000;
/** Moves the cursor to the top left and clears the screen from there. The scrollback stays. */
const REDRAW = '\u001B[H\u001B[J';
const CLEAR = '\u001B[2J';

export const fleet = defineCommand({
  help: `
Usage: sluice fleet [WORKER] [OPTIONS]

Shows the workers from their heartbeats, once a second: pool, models, running and
queued jobs, slots, tokens per second and state. The column RUNTIME shows what the
runtime itself reports: running and waiting generations, including those of other
clients, and how full its cache is. If jobs have scheduling classes, it shows the
running and queued jobs of each class. A table on a terminal and JSON are shown
until Ctrl-C; JSON is then a line a second.

With WORKER, a name or an id, it shows everything about this one, also its machine
and the address of its runtime.

Options:
  --once               show the workers once and exit
  --wide               more columns: the machine of each worker, the address of its
                       runtime, its version and its id
${outputHelp(LIST_FORMATS, { width: 23 })}
${BUS_OPTIONS_HELP}
`,
  options: {
    once: { type: 'boolean', default: false },
    wide: { type: 'boolean', default: false },
    ...BUS_OPTIONS,
  },
  formats: LIST_FORMATS,
  run: async ({ values, positionals, format, show }, context) => {
    const [worker, ...others] = positionals;
    if (others.length > 0) {
      throw new UsageError(`it takes one worker, not also '${others.join(' ')}'`);
    }
    const { wide } = values;
    const isWatched =
      format === 'json' || (format === 'table' && (context.terminal?.interactive ?? false));
    await withBus(values, context, async (bus, subjects) => {
      const view = listenToFleet(bus, subjects);
      if (worker !== undefined) {
        show({ data: await awaitWorker(view, worker, { listenMs: LISTEN_TO_ONE_MS }) });
      } else if (values.once || !isWatched) {
        await delay(LISTEN_MS);
        show(shownFleet(rowsOf(view), wide));
      } else if (format === 'json') {
        await everySecond(context, () => context.print(JSON.stringify({ workers: rowsOf(view) })));
      } else {
        context.print(CLEAR);
        await everySecond(context, () =>
          context.print(`${REDRAW}${fleetTable(rowsOf(view), { wide, screen: context.screen })}`),
        );
      }
    });
  },
});

function rowsOf(view: FleetView): WorkerRow[] {
  return view.rows(performance.now());
}

/** Until Ctrl-C. */
async function everySecond({ terminal }: CommandContext, show: () => void): Promise<void> {
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  const stopListening = terminal?.onInterrupt(() => resolve());
  // Emitted when the reader of the output has closed it.
  terminal?.output.once('error', () => resolve());
  const drawing = setInterval(show, REDRAW_MS);
  await interrupted;
  clearInterval(drawing);
  stopListening?.();
}

function shownFleet(workers: readonly WorkerRow[], wide: boolean): Shown {
  return {
    data: { workers },
    text: (screen) => fleetTable(workers, { wide, screen }),
    rows: workers.map((row) => ({ ...row })),
  };
}

function fleetTable(
  rows: readonly WorkerRow[],
  { wide, screen }: { wide: boolean; screen: Screen | undefined },
): string {
  if (rows.length === 0) return 'no worker sends heartbeats';
  const hasClasses = rows.some(({ classes }) => classes !== undefined);
  const head = [
    'worker',
    'pool',
    'state',
    'models',
    'running',
    'slots',
    'queued',
    'tokens/s',
    'runtime',
    'cache',
    ...(hasClasses ? ['classes'] : []),
  ];
  const lines = rows.map((row) => [
    ...(wide ? placeCells(row) : []),
    labelOf(row, rows),
    ...cells(row),
    ...(hasClasses ? [classesCell(row)] : []),
  ]);
  const placeHead = wide ? PLACE_HEAD : [];
  const numbersFrom = placeHead.length + head.indexOf('running');
  return table([...placeHead, ...head], lines, { numbersFrom, screen });
}

/** The additional columns come first, because numbers are aligned from one column to the last. */
const PLACE_HEAD = ['id', 'version', 'host', 'address'];

function placeCells({ worker, version, host, runtime }: WorkerRow): string[] {
  return [worker, version, host ?? '-', runtime ?? '-'];
}

function cells({
  runtime_load: runtime,
  pool,
  state,
  models,
  running,
  slots,
  queued,
  ...row
}: WorkerRow) {
  return [
    pool,
    state,
    models.join(' ') || '-',
    String(running),
    String(slots),
    `${queued}/${row.queue_limit}`,
    row.tokens_per_second === null ? '-' : row.tokens_per_second.toFixed(1),
    runtime === null ? '-' : `${runtime.running}+${runtime.waiting}`,
    typeof runtime?.cache_use === 'number' ? `${Math.round(runtime.cache_use * 100)}%` : '-',
  ];
}

/** Running and queued jobs of each class, such as `2: 3+10  0: 1+40`. */
function classesCell({ classes = [] }: WorkerRow): string {
  return (
    classes
      .map(({ class: number, running, queued }) => `${number}: ${running}+${queued}`)
      .join('  ') || '-'
  );
}
