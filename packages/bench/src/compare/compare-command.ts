import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { CONTESTANTS } from '../contestants/contestant.ts';
import { WORKS, WORK_TITLES } from './figures.ts';
import { breaksPromise, renderComparison, reportComparison } from './report-comparison.ts';
import { runComparison } from './run-comparison.ts';
import { FULL_PACE, QUICK_PACE } from './work.ts';

const ROUNDS = 5;
/** Whoever asks for more rounds has the time for them. */
const MOST_SECONDS = 600;

export const compareCommand: Command = {
  help: `
Usage: npm run bench [-- OPTIONS]           Sluice beside what one would use instead
       npm run bench -- gateway [OPTIONS]   beside the least that a gateway of its shape does
       npm run bench -- quota [OPTIONS]     decisions on limits, beside Redis itself
       npm run bench -- catalog [OPTIONS]   100,000 keys: memory, start, look-ups
       npm run bench -- worker [OPTIONS]    one worker alone
       npm run bench -- telemetry [OPTIONS] what OpenTelemetry costs, on and off
       npm run bench -- versions [OPTIONS]  beside an older version of itself
       npm run soak [-- OPTIONS]            mixed load with faults

Each of them has a --help of its own.

Options of the comparison:
  --rounds N          how often everything is measured (${ROUNDS})
  --quick             one short round, to see that it works
  --only WORK         this work alone; may be given more than once
  --contestant NAME   this contestant alone; may be given more than once
  --json              the result as JSON, with every single measurement
  --help              this text

Works:
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
    const rounds =
      options.rounds === undefined
        ? options.quick
          ? 1
          : ROUNDS
        : wholeNumber('--rounds', options.rounds, { least: 1, most: 100 });
    const comparison = await runComparison({
      rounds,
      mostSeconds: options.rounds === undefined ? MOST_SECONDS : Number.POSITIVE_INFINITY,
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

/** All of them unless some are named; in the order of all of them. */
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
