import { join } from 'node:path';
import { UsageError, wholeNumber, type CommandContext } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { LogTail, followFiles } from '../logs/follow-files.ts';
import { LEVELS, isAtLeast, logText, readLogLine, type LogLine } from '../logs/log-line.ts';
import { readPastMoment } from '../read-moment.ts';
import { PLAIN_SCREEN } from '../screen.ts';
import { findLocalStack } from '../stack/find-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';
import { suggestion } from '../suggestion.ts';

const MOST_LINES = 100_000;

export const logs = defineCommand({
  help: `
Usage: sluice logs [SERVICE…] [OPTIONS]

Shows the logs of the stack on this machine, in the order of time: all services, or
those that are named, such as 'gateway' or 'worker-2'. A name without a number means
all replicas. Prompts and answers are in no log.

Options:
  --follow          show new lines until Ctrl-C
  --level LEVEL     this level and the more severe ones (info): ${LEVELS.slice(0, 3).join(', ')},
                    ${LEVELS.slice(3).join(', ')}
  --since WHEN      from a date (UTC) on, or from 10m, 2h or 1d ago
  --lines N         at most the last N lines (100)
  --json            the lines as the services wrote them
  --state DIR       folder of the stack (${DEFAULT_STATE}/)
`,
  options: {
    follow: { type: 'boolean', short: 'f', default: false },
    level: { type: 'string', default: 'info' },
    since: { type: 'string' },
    lines: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
    state: { type: 'string' },
  },
  words: [
    {
      words: [
        'gateway',
        'worker',
        'catalog',
        'quota',
        'usage',
        'console',
        'simulator',
        'nats',
        'redis',
      ],
    },
  ],
  run: async ({ values, positionals }, context) => {
    const least = LEVELS.find((known) => known === values.level);
    if (least === undefined) {
      const meant = suggestion(values.level, LEVELS);
      throw new UsageError(
        `--level must be one of ${LEVELS.join(', ')}, not '${values.level}'${meant}`,
      );
    }
    const sinceMs = values.since === undefined ? 0 : readPastMoment(values.since);
    const count = wholeNumber('--lines', values.lines, { minimum: 0, maximum: MOST_LINES });
    const stack = await findLocalStack(values.state, context);
    const running = stack.services.filter(({ external }) => !external).map(({ name }) => name);
    const names = chosen(running, positionals);
    const tails = names.map((name) => new LogTail({ name, path: join(stack.logs, `${name}.log`) }));
    const width = Math.max(0, ...names.map((name) => name.length));
    const { screen = PLAIN_SCREEN } = context;
    const print = (line: LogLine) =>
      context.print(values.json ? line.text : logText(line, { width, screen }));
    const isShown = (line: LogLine) => isAtLeast(line, least) && (line.atMs ?? sinceMs) >= sinceMs;
    const past = await Promise.all(
      tails.map(async (tail) => (await tail.lines()).map((text) => readLogLine(tail.name, text))),
    );
    const shown = past
      .flatMap(inOrder)
      .filter(isShown)
      .toSorted((one, other) => one.at - other.at);
    for (const line of count === 0 ? [] : shown.slice(-count)) print(line);
    if (!values.follow) return;
    await untilInterrupted(context, (signal) =>
      followFiles(tails, {
        signal,
        onLines: (name, lines) => {
          for (const line of lines.map((text) => readLogLine(name, text))) {
            if (isShown(line)) print(line);
          }
        },
      }),
    );
  },
});

/** The names of the processes whose logs are shown. */
function chosen(running: readonly string[], words: readonly string[]): readonly string[] {
  if (words.length === 0) return running;
  const found = words.flatMap((word) => {
    const matching = running.filter((name) => name === word || name.replace(/-\d+$/, '') === word);
    if (matching.length > 0) return matching;
    throw new UsageError(
      `the stack runs no '${word}'${suggestion(word, running) || `, only ${running.join(', ')}`}`,
    );
  });
  return [...new Set(found)];
}

/** A line without a time, such as one of a stack trace, belongs to the line before it. */
function inOrder(lines: readonly LogLine[]): (LogLine & { readonly at: number })[] {
  let at = 0;
  return lines.map((line) => {
    at = line.atMs ?? at;
    return { ...line, at };
  });
}

async function untilInterrupted(
  { terminal }: CommandContext,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stopListening = terminal?.onInterrupt(() => stop.abort());
  // Emitted when the reader of the output has closed it.
  terminal?.output.once('error', () => stop.abort());
  await work(stop.signal);
  stopListening?.();
}
