import { BUS_OPTIONS, BUS_OPTIONS_HELP, withBus } from '../bus/with-bus.ts';
import {
  EXIT_DONE,
  EXIT_FAILED,
  UsageError,
  parseOptions,
  type Command,
  type CommandContext,
} from '../command.ts';
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

const WORKER_HELP = `WORKER is the worker's name as 'sluice fleet' shows it, POOL/NAME, or its id.`;

export const drain: Command = {
  help: `
Usage: sluice drain WORKER [OPTIONS]

Empties a worker without failing a request: it gets no new jobs, and finishes those
that it has, including queued ones. Shows the jobs that are left, and ends with exit
code 0 when there are none. Ctrl-C ends the command, not the drain.

The worker keeps draining until 'sluice undrain', or until it is restarted.
${WORKER_HELP}

Options:
  --no-wait            end as soon as the worker gets no new jobs
${BUS_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      'no-wait': { type: 'boolean', default: false },
      ...BUS_OPTIONS,
    });
    const wanted = onlyWorker(positionals);
    return withBus(values, context, async (bus, subjects) => {
      const fleet = { bus, subjects, view: listenToFleet(bus, subjects) };
      const { row, label } = await findNamedWorker(fleet, wanted);
      await orderWorker(fleet, row, 'drain');
      warnIfLastOfPool(fleet, row, context);
      if (values['no-wait']) {
        context.print(`${label} gets no new jobs`);
        return EXIT_DONE;
      }
      return follow(fleet, { row, label }, context);
    });
  },
};

export const undrain: Command = {
  help: `
Usage: sluice undrain WORKER [OPTIONS]

Ends a drain: the worker takes jobs again.
${WORKER_HELP}

Options:
${BUS_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, BUS_OPTIONS);
    const wanted = onlyWorker(positionals);
    return withBus(values, context, async (bus, subjects) => {
      const fleet = { bus, subjects, view: listenToFleet(bus, subjects) };
      const { row, label } = await findNamedWorker(fleet, wanted);
      await orderWorker(fleet, row, 'undrain');
      context.print(`${label} takes jobs`);
      return EXIT_DONE;
    });
  },
};

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

async function follow(
  { view }: DrainContext,
  { row, label }: NamedWorker,
  { print, printError, terminal }: CommandContext,
): Promise<number> {
  const interruption = new AbortController();
  const stopListening = terminal?.onInterrupt(() => interruption.abort());
  try {
    const isEmpty = await untilEmpty(view, row.worker, {
      interrupted: interruption.signal,
      show: (now) => print(`${label} drains: ${jobsText(now)}`),
    });
    if (isEmpty) {
      print(`${label} is empty. It takes no jobs until 'sluice undrain ${label}' or a restart`);
      return EXIT_DONE;
    }
    printError(`${label} keeps draining. To undo: sluice undrain ${label}`);
    return EXIT_FAILED;
  } finally {
    stopListening?.();
  }
}
