import { BusTimeoutError } from '@sluice/bus';
import { Organization } from '@sluice/contracts';
import { BUS_OPTIONS, BUS_OPTIONS_HELP, withBus } from '../bus/with-bus.ts';
import {
  CommandFailure,
  EXIT_DONE,
  UsageError,
  parseOptions,
  refusePositionals,
  type Command,
} from '../command.ts';
import { readPastMoment } from '../read-moment.ts';
import { readRequests } from '../usage/read-requests.ts';
import { usageJson, usageNotes, usageTable } from '../usage/show-usage.ts';
import { GROUPINGS, UsageTally, type Grouping } from '../usage/sum-usage.ts';

const DEFAULT_SINCE = '24h';

export const usage: Command = {
  help: `
Usage: sluice usage [OPTIONS]

Sums up the outcome ledger: requests by what became of them, the attempts of
workers at them, and tokens. Wasted are those that were generated and reached
nobody: the client had left, or the attempt failed and another one began anew.
Abandoned are requests whose gateway died before it could say how they ended.
Of answers that did not come to their end the output is what the client got,
and the input what it was estimated to be. By model, the estimate error is how
much more input the runtimes counted than limits were charged for: set the
model's input_token_ratio by it.

Options:
  --organization ID    of one organization only
  --since MOMENT       30m, 24h, 7d, or a date of UTC such as 2027-01-31 (${DEFAULT_SINCE})
  --by WHAT            ${GROUPINGS.join(', ')} (organization)
  --json               JSON instead of a table
${BUS_OPTIONS_HELP}
`,
  run: async (parameters, context) => {
    const { values, positionals } = parseOptions(parameters, {
      organization: { type: 'string' },
      since: { type: 'string', default: DEFAULT_SINCE },
      by: { type: 'string', default: 'organization' },
      json: { type: 'boolean', default: false },
      ...BUS_OPTIONS,
    });
    refusePositionals(positionals);
    const by = readGrouping(values.by);
    const nowMs = Date.now();
    const sinceMs = readPastMoment(values.since, nowMs);
    const organization = readOrganization(values.organization);
    const tally = new UsageTally(by);
    const read = await withBus(values, context, async (bus, subjects) => {
      try {
        return await readRequests(bus, subjects, {
          organization,
          sinceMs,
          nowMs,
          onRequest: (request) => tally.add(request),
        });
      } catch (error) {
        throw explain(error);
      }
    });
    const report = tally.report();
    if (values.json) context.print(JSON.stringify(usageJson(report, read, sinceMs)));
    else {
      context.print(usageTable(report));
      for (const note of usageNotes(read, sinceMs)) context.printError(note);
    }
    return EXIT_DONE;
  },
};

function readOrganization(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const id = Organization.shape.id.safeParse(text);
  if (id.success) return id.data;
  throw new UsageError(`--organization ${id.error.issues[0]?.message ?? 'is none'}, not '${text}'`);
}

/** How NATS says it, of itself or of the account that was used. */
const WITHOUT_JETSTREAM = /jetstream (?:is )?not enabled/i;
const NOT_PERMITTED = /permissions violation/i;

function explain(cause: unknown): unknown {
  if (cause instanceof BusTimeoutError) {
    return new CommandFailure('the ledger does not answer; try again', { cause });
  }
  if (cause instanceof Error && WITHOUT_JETSTREAM.test(cause.message)) {
    return new CommandFailure('this NATS has no ledger: JetStream is not enabled there', { cause });
  }
  if (cause instanceof Error && NOT_PERMITTED.test(cause.message)) {
    return new CommandFailure(`this user may not read the ledger: ${cause.message}`, { cause });
  }
  return cause;
}

function readGrouping(text: string): Grouping {
  const by = GROUPINGS.find((known) => known === text);
  if (by === undefined) {
    throw new UsageError(`--by must be one of ${GROUPINGS.join(', ')}, not '${text}'`);
  }
  return by;
}
