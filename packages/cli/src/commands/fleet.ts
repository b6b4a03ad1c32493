import { setTimeout as delay } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL_MS } from '@sluice/contracts';
import { BUS_OPTIONS, BUS_OPTIONS_HELP, withBus } from '../bus/with-bus.ts';
import {
  EXIT_DONE,
  parseOptions,
  refusePositionals,
  type Command,
  type CommandContext,
} from '../command.ts';
import { labelOf } from '../fleet/find-worker.ts';
import type { FleetView, WorkerRow } from '../fleet/fleet-view.ts';
import { listenToFleet } from '../fleet/listen-to-fleet.ts';
import type { Screen } from '../screen.ts';
import { table } from '../table.ts';

/** Long enough for two heartbeats of every worker, because the token rate is computed from two. */
const LISTEN_MS = 2 * HEARTBEAT_INTERVAL_MS + 300;
const REDRAW_MS = 1_000;
/** Moves the cursor to the top left and clears the screen from there. The scrollback stays. */
const REDRAW = '\u001B[H\u001B[J';
const CLEAR = '\u001B[2J';

export const fleet: Command = {
  help: `
Usage: sluice fleet [OPTIONS]

Shows the workers from their heartbeats, once a second: pool, models, running and
queued jobs, slots, tokens per second and state. The column RUNTIME shows what the
runtime itself reports: running and waiting generations, including those of other
clients, and how full its cache is. If jobs have scheduling classes, it shows the
running and queued jobs of each class. On a terminal it runs until Ctrl-C.

Options:
  --once               show the workers once and exit
  --wide               more columns: the machine of each worker, the address of its
                       runtime, its version and its id
  --json               JSON instead of a table, one line per second
${BUS_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      once: { type: 'boolean', default: false },
      wide: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      ...BUS_OPTIONS,
    });
    refusePositionals(positionals);
    const { json } = values;
    const options = { json, wide: values.wide, screen: context.screen };
    const interactive = context.terminal?.interactive ?? false;
    const once = values.once || (!json && !interactive);
    await withBus(values, context, async (bus, subjects) => {
      const view = listenToFleet(bus, subjects);
      if (!once) await showUntilInterrupted(view, { ...options, context });
      else {
        await delay(LISTEN_MS);
        context.print(render(view, options));
      }
    });
    return EXIT_DONE;
  },
};

interface DisplayOptions {
  readonly json: boolean;
  readonly wide: boolean;
  readonly screen: Screen | undefined;
}

async function showUntilInterrupted(
  view: FleetView,
  { context, ...options }: DisplayOptions & { readonly context: CommandContext },
): Promise<void> {
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  const stopListening = context.terminal?.onInterrupt(() => resolve());
  // Emitted when the reader of the output has closed it.
  context.terminal?.output.once('error', () => resolve());
  const show = () => context.print(`${options.json ? '' : REDRAW}${render(view, options)}`);
  if (!options.json) context.print(CLEAR);
  const drawing = setInterval(show, REDRAW_MS);
  await interrupted;
  clearInterval(drawing);
  stopListening?.();
}

function render(view: FleetView, { json, wide, screen }: DisplayOptions): string {
  const rows = view.rows(performance.now());
  if (json) return JSON.stringify({ workers: rows });
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
