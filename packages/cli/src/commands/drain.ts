import { BUS_OPTIONS, BUS_OPTIONS_HELP, withBus } from '../bus/with-bus.ts';
import { EXIT_DONE, EXIT_FAILED, UsageError, type CommandContext } from '../command.ts';
import { defineCommand, type CommandLine } from '../define-command.ts';
import {
  awaitWorker,
  jobsText,
  orderWorker,
  untilEmpty,
  type DrainContext,
} from '../fleet/drain-worker.ts';
import { labelOf } from '../fleet/find-worker.ts';
import type { WorkerRow } from '../fleet/fleet-view.ts';
import { listenToFleet } from '../fleet/listen-to-fleet.ts';
import { FORMATS, outputHelp, type Shown } from '../output/formats.ts';

const WORKER_HELP = `WORKER is the worker's name as 'sluice fleet' shows it, POOL/NAME, or its id.`;

export const drain = defineCommand({
  help: `
Usage: sluice drain WORKER [OPTIONS]

Empties a worker without failing a request: it gets no new jobs, and finishes those
that it has, including queued ones. Shows the jobs that are left, and ends with exit
code 0 when there are none. Ctrl-C ends the command, not the drain.

The worker keeps draining until 'sluice undrain', or until it is restarted.
${WORKER_HELP}

Options:
  --no-wait            end as soon as the worker gets no new jobs
${outputHelp(FORMATS, { width: 23 })}
${BUS_OPTIONS_HELP}
`,
  options: { 'no-wait': { type: 'boolean', default: false }, ...BUS_OPTIONS },
  formats: FORMATS,
  run: async ({ values, positionals, format, show }, context) => {
    const wanted = onlyWorker(positionals);
    return withBus(values, context, async (bus, subjects) => {
      const fleet = { bus, subjects, view: listenToFleet(bus, subjects) };
      const worker = await findNamedWorker(fleet, wanted);
      await orderWorker(fleet, worker.row, 'drain');
      warnIfLastOfPool(fleet, worker.row, context);
      if (values['no-wait']) {
        show(shownWorker(fleet, worker, `${worker.label} gets no new jobs`));
        return EXIT_DONE;
      }
      return follow(fleet, worker, { format, show, context });
    });
  },
});

export const undrain = defineCommand({
  help: `
Usage: sluice undrain WORKER [OPTIONS]

Ends a drain: the worker takes jobs again.
${WORKER_HELP}

Options:
${outputHelp(FORMATS, { width: 23 })}
${BUS_OPTIONS_HELP}
`,
  options: BUS_OPTIONS,
  formats: FORMATS,
  run: async ({ values, positionals, show }, context) => {
    const wanted = onlyWorker(positionals);
    await withBus(values, context, async (bus, subjects) => {
      const fleet = { bus, subjects, view: listenToFleet(bus, subjects) };
      const worker = await findNamedWorker(fleet, wanted);
      await orderWorker(fleet, worker.row, 'undrain');
      show(shownWorker(fleet, worker, `${worker.label} takes jobs`));
    });
  },
});

function onlyWorker(positionals: readonly string[]): string {
  const [worker, ...others] = positionals;
  if (worker === undefined || worker === '') throw new UsageError('it needs the name of a worker');
  if (others.length > 0) {
    throw new UsageError(`it takes one worker, not also '${others.join(' ')}'`);
  }
  return worker;
}

interface NamedWorker {
  readonly row: WorkerRow;
  readonly label: string;
}

async function findNamedWorker({ view }: DrainContext, wanted: string): Promise<NamedWorker> {
  const row = await awaitWorker(view, wanted);
  return { row, label: labelOf(row, view.rows(performance.now())) };
}

/** While the last worker of a pool drains, the pool serves no new requests. The command warns, and drains it. */
function warnIfLastOfPool(
  { view }: DrainContext,
  { pool }: WorkerRow,
  { printError }: CommandContext,
): void {
  const serves = view
    .rows(performance.now())
    .some((row) => row.pool === pool && (row.state === 'ready' || row.state === 'full'));
  if (!serves) printError(`note: no other worker of the pool ${pool} takes jobs now`);
}

/** The worker as its last heartbeat described it; for people, a sentence. */
function shownWorker({ view }: DrainContext, { row, label }: NamedWorker, text: string): Shown {
  const now = view.rows(performance.now()).find(({ worker }) => worker === row.worker) ?? row;
  const { worker, name, pool, state, running, queued } = now;
  return { data: { label, worker, name, pool, state, running, queued }, text: () => text };
}

interface Following extends Pick<CommandLine<typeof BUS_OPTIONS>, 'format' | 'show'> {
  readonly context: CommandContext;
}

/** Shows the jobs that are left, to people only: a program gets the result. */
async function follow(
  fleet: DrainContext,
  worker: NamedWorker,
  { format, show, context: { print, printError, terminal } }: Following,
): Promise<number> {
  const { row, label } = worker;
  const interruption = new AbortController();
  const stopListening = terminal?.onInterrupt(() => interruption.abort());
  try {
    const isEmpty = await untilEmpty(fleet.view, row.worker, {
      interrupted: interruption.signal,
      show: (now) => {
        if (format === 'table') print(`${label} drains: ${jobsText(now)}`);
      },
    });
    if (isEmpty) {
      const empty = `${label} is empty. It takes no jobs until 'sluice undrain ${label}' or a restart`;
      show(shownWorker(fleet, worker, empty));
      return EXIT_DONE;
    }
    printError(`${label} keeps draining. To undo: sluice undrain ${label}`);
    return EXIT_FAILED;
  } finally {
    stopListening?.();
  }
}
