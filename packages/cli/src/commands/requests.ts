import { setTimeout as delay } from 'node:timers/promises';
import { REQUEST_OUTCOMES } from '@sluice/contracts';
import type { ListRequestsReply, UsageClient } from '@sluice/rpc';
import {
  UsageError,
  refusePositionals,
  wholeNumber,
  type CommandContext,
  type Format,
} from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { outputHelp } from '../output/formats.ts';
import { readPastMoment } from '../read-moment.ts';
import { USAGE_OPTIONS, USAGE_OPTIONS_HELP, withUsage } from '../usage-service/connect-usage.ts';
import { OUTPUTS, requestLines } from '../usage-service/show-requests.ts';

const DEFAULT_LIMIT = 50;
const MOST_REQUESTS = 1_000;
/** A new request is shown within a second: after this pause, and after the time that usage takes to store it. */
const FOLLOW_EVERY_MS = 300;
const STATUSES = { minimum: 100, maximum: 599 };

export const requests = defineCommand({
  help: `
Usage: sluice requests [OPTIONS]

Lists requests, newest first. With --follow it also shows new ones as they end,
until Ctrl-C.

Options:
  --follow             show new requests as they end
  --organization ID    of one organization only
  --project ID         of one project only
  --key ID             of one API key only
  --model ID           for one model only
  --worker NAME        with an attempt at this worker only; without --since, for a day
  --status STATUS      with this HTTP status only; may be repeated
  --failed             failed ones only, as --outcome failed
  --outcome WHAT       ${REQUEST_OUTCOMES.join(', ')}; may be repeated
  --code CODE          with this error code only; may be repeated
  --since MOMENT       received since: 30m, 24h, 7d, or a date of UTC
  --until MOMENT       received before
  --limit N            how many at most (${DEFAULT_LIMIT})
${outputHelp(OUTPUTS, { width: 23 })}
${USAGE_OPTIONS_HELP}
`,
  options: {
    follow: { type: 'boolean', default: false },
    organization: { type: 'string', default: '' },
    project: { type: 'string', default: '' },
    key: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
    worker: { type: 'string', default: '' },
    status: { type: 'string', multiple: true, default: [] },
    failed: { type: 'boolean', default: false },
    outcome: { type: 'string', multiple: true, default: [] },
    code: { type: 'string', multiple: true, default: [] },
    since: { type: 'string' },
    until: { type: 'string' },
    limit: { type: 'string', default: String(DEFAULT_LIMIT) },
    ...USAGE_OPTIONS,
  },
  formats: OUTPUTS,
  run: async ({ values, positionals, format }, context) => {
    refusePositionals(positionals);
    const { organization, project, key, model, worker } = values;
    const filter = {
      organization,
      project,
      credential: key,
      model,
      worker,
      outcomes: readOutcomes([...values.outcome, ...(values.failed ? ['failed'] : [])]),
      codes: values.code,
      statuses: values.status.map((text) => wholeNumber('--status', text, STATUSES)),
      ...(values.since === undefined ? {} : { sinceMs: readPastMoment(values.since) }),
      ...(values.until === undefined ? {} : { untilMs: readPastMoment(values.until) }),
    };
    const limit = wholeNumber('--limit', values.limit, { minimum: 1, maximum: MOST_REQUESTS });
    if (values.follow && values.until !== undefined) {
      throw new UsageError('--follow and --until exclude each other');
    }
    await withUsage(values, context, async (usage) => {
      const first = await usage.listRequests({ ...filter, limit });
      // With --follow, new requests are printed below, so the first list ends with its newest request.
      const listed = values.follow ? first.requests.toReversed() : first.requests;
      print(requestLines(listed, format, { head: true }), context);
      if (values.follow) await follow(usage, { filter, format, context, from: first });
    });
  },
});

interface Following {
  readonly filter: object;
  readonly format: Format;
  readonly context: CommandContext;
  readonly from: ListRequestsReply;
}

/** Prints requests as they become known, until Ctrl-C. */
async function follow(
  usage: UsageClient,
  { filter, format, context, from }: Following,
): Promise<void> {
  const stop = new AbortController();
  const stopListening = context.terminal?.onInterrupt(() => stop.abort());
  // Emitted when the reader of the output has closed it.
  context.terminal?.output.once('error', () => stop.abort());
  let afterArrival = from.arrival;
  while (!stop.signal.aborted) {
    const reply = await usage.listRequests({ ...filter, limit: MOST_REQUESTS, afterArrival });
    afterArrival = reply.arrival;
    print(requestLines(reply.requests, format, { head: false }), context);
    if (reply.requests.length === MOST_REQUESTS) continue;
    await delay(FOLLOW_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  stopListening?.();
}

function print(lines: readonly string[], context: CommandContext): void {
  if (lines.length > 0) context.print(lines.join('\n'));
}

function readOutcomes(texts: readonly string[]): string[] {
  const known: readonly string[] = REQUEST_OUTCOMES;
  const unknown = texts.find((text) => !known.includes(text));
  if (unknown === undefined) return [...new Set(texts)];
  throw new UsageError(`--outcome must be one of ${known.join(', ')}, not '${unknown}'`);
}
