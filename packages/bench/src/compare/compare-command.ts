import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { CONTESTANTS } from '../contestants/contestant.ts';
import { WORKS, WORK_TITLES } from './figures.ts';
import { renderComparison, reportComparison } from './report-comparison.ts';
import { runComparison } from './run-comparison.ts';
import { FULL_PACE, QUICK_PACE } from './work.ts';

const ROUNDS = 5;
/** Whoever asks for more rounds has the time for them. */
const MOST_SECONDS = 600;

export const compareCommand: Command = async (parameters, { cleanUp, say, print }) => {
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
  return report.verdicts.some(({ kept }) => kept === false) ? 1 : 0;
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

export const worksHelp = WORKS.map((name) => `  ${name.padEnd(12)} ${WORK_TITLES[name]}`).join(
  '\n',
);
