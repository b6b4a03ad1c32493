import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { WORKS, WORK_TITLES, type WorkName } from './figures.ts';
import { renderComparison, reportComparison } from './report-comparison.ts';
import { runComparison } from './run-comparison.ts';
import { FULL_PACE, QUICK_PACE } from './work.ts';

const ROUNDS = 5;

export const compareCommand: Command = async (parameters, { cleanUp, say, print }) => {
  const options = parseOptions(parameters, {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
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
    works: options.only.length === 0 ? WORKS : options.only.map(workNamed),
    pace: options.quick ? QUICK_PACE : FULL_PACE,
    say,
    cleanUp,
  });
  const report = reportComparison(comparison);
  print(options.json ? JSON.stringify(report, undefined, 2) : renderComparison(report));
  return report.verdicts.some(({ kept }) => kept === false) ? 1 : 0;
};

function workNamed(text: string): WorkName {
  const found = WORKS.find((name) => name === text);
  if (found !== undefined) return found;
  throw new UsageError(`there is no work '${text}'; the works are ${WORKS.join(', ')}`);
}

export const worksHelp = WORKS.map((name) => `  ${name.padEnd(12)} ${WORK_TITLES[name]}`).join(
  '\n',
);
