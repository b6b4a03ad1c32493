import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { renderSoak, reportSoak } from './report-soak.ts';
import { runSoak } from './run-soak.ts';

const MINUTES = 30;
const USERS = 16;

export const soakCommand: Command = {
  help: `
Usage: npm run soak [-- OPTIONS]

Runs mixed load on a whole stack. Processes are killed, restarted and frozen, while
clients check every answer.

Options:
  --minutes N        duration, from 1 to 720 (${MINUTES})
  --users N          number of concurrent clients, in addition to the four that exceed
                     their limits or create and revoke keys (${USERS})
  --seed N           determines the load and the faults, to repeat a run (random)
  --without-faults   load without faults
  --json             the result as JSON
  --help             this text
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      minutes: { type: 'string', default: String(MINUTES) },
      users: { type: 'string', default: String(USERS) },
      seed: { type: 'string' },
      'without-faults': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    const minutes = minutesOf(options.minutes);
    const seed =
      options.seed === undefined
        ? Math.floor(Math.random() * 1_000_000)
        : wholeNumber('--seed', options.seed, { least: 0, most: 4_294_967_295 });
    const record = await runSoak({
      minutes,
      seed,
      users: wholeNumber('--users', options.users, { least: 1, most: 1_000 }),
      faults: !options['without-faults'],
      say,
      cleanUp,
    });
    const report = reportSoak(record, seed);
    print(options.json ? JSON.stringify(report, undefined, 2) : renderSoak(report));
    return report.checks.some(({ ok }) => ok === false) ? 1 : 0;
  },
};

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes >= 1 && minutes <= 720) return minutes;
  throw new UsageError(`--minutes must be a number from 1 to 720, not '${text}'`);
}
