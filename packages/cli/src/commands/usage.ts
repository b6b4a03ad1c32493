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

Sums up the outcome ledger: requests by outcome, attempts of workers, and tokens.

  WASTED           tokens that were generated and not sent to a client, because the
                   client had disconnected, or because the attempt failed and was
                   repeated
  ABANDONED        requests whose gateway died before it recorded their outcome
  ESTIMATE ERROR   with --by model: how much more input the runtimes counted than was
                   charged to limits. Correct the model's input_token_ratio with it

For an answer that was not completed, the output is the tokens that were sent to the
client, and the input is the estimate.

Options:
  --organization ID    only the requests of this organization
  --since MOMENT       30m, 24h or 7d ago, or a date (UTC) such as 2027-01-31 (${DEFAULT_SINCE})
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

/** The error of NATS if JetStream is disabled for the server or for the account. */
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
