import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { CONTESTANTS } from '../contestants/contestant.ts';
import { WORKS, WORK_TITLES } from './figures.ts';
import { breaksPromise, renderComparison, reportComparison } from './report-comparison.ts';
import { runComparison } from './run-comparison.ts';
import { FULL_PACE, QUICK_PACE } from './work.ts';

const ROUNDS = 5;
/** Time limit for the default number of rounds. With `--rounds` there is no time limit. */
const MAX_SECONDS = 600;

export const compareCommand: Command = {
  help: `
Usage: npm run bench [-- OPTIONS]           Sluice compared with other gateways
       npm run bench -- gateway [OPTIONS]   the gateway compared with minimal gateways
       npm run bench -- quota [OPTIONS]     decisions on limits, compared with Redis alone
       npm run bench -- catalog [OPTIONS]   100,000 keys: memory, start, look-ups
       npm run bench -- worker [OPTIONS]    a single worker
       npm run bench -- telemetry [OPTIONS] the cost of OpenTelemetry
       npm run bench -- versions [OPTIONS]  compared with an older version
       npm run soak [-- OPTIONS]            mixed load with faults

Each command has its own --help.

Options of the comparison:
  --rounds N          number of rounds (${ROUNDS})
  --quick             one short round, to check that the bench works
  --only WORK         measure only this workload; may be repeated
  --contestant NAME   measure only this contestant; may be repeated
  --json              the result as JSON, with every single measurement
  --help              this text

Workloads:
${WORKS.map((name) => `  ${name.padEnd(12)} ${WORK_TITLES[name]}`).join('\n')}

Contestants: ${CONTESTANTS.join(', ')}
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const options = parseOptions(parameters, {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      contestant: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    });
    const defaultRounds = options.quick ? 1 : ROUNDS;
    const rounds =
      options.rounds === undefined
        ? defaultRounds
        : wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });
    const comparison = await runComparison({
      rounds,
      maxSeconds: options.rounds === undefined ? MAX_SECONDS : Number.POSITIVE_INFINITY,
      works: chosen('--only', options.only, WORKS),
      contestants: chosen('--contestant', options.contestant, CONTESTANTS),
      pace: options.quick ? QUICK_PACE : FULL_PACE,
      say,
      cleanUp,
    });
    const report = reportComparison(comparison);
    print(options.json ? JSON.stringify(report, undefined, 2) : renderComparison(report));
    return breaksPromise(report) ? 1 : 0;
  },
};

/** Returns the named items in the order of the full list, or the full list when none is named. */
function chosen<Name extends string>(
  option: string,
  named: readonly string[],
  all: readonly Name[],
): readonly Name[] {
  const names = new Set<string>(all);
  const unknown = named.find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new UsageError(`${option} knows no '${unknown}'; it takes ${all.join(', ')}`);
  }
  return named.length === 0 ? all : all.filter((name) => named.includes(name));
}
