import { UsageError, parseOptions, wholeNumber, type Command } from '../command-line.ts';
import { FIGURES, WORK_TITLES } from '../compare/figures.ts';
import { textOf } from '../compare/observe.ts';
import { describeMachine } from '../measure/process-usage.ts';
import { formatNumber, table } from '../report/table.ts';
import { compareVersions, type VersionsComparison } from './compare-versions.ts';
import {
  COMPARED_WORKS,
  isAccepted,
  type ComparedWork,
  type FigureComparison,
} from './judge-versions.ts';

const THRESHOLD_PERCENT = 5;
const MINUTES = 8;

/** Measures whether a change made Sluice more expensive, compared with an older version. */
export const versionsCommand: Command = {
  help: `
Usage: npm run bench -- versions [OPTIONS]

Compares the working tree with an older version of Sluice. Both stacks run at the same time and
are measured in turn in each round. A workload is measured until its figures are certain, or
until the time is over. A figure is the median of the ratios of all rounds, of CPU time or of
memory. Rounds in which other programs used more than a quarter of the processors are ignored.
If all rounds are disturbed, the figures are shown and not judged.

Options:
  --old REVISION    the older version, as a git revision (HEAD)
  --only WORK       measure only this workload; may be repeated
  --threshold N     by how many percent the costs may rise (${THRESHOLD_PERCENT})
  --minutes N       time limit (${MINUTES})
  --json            the result as JSON, with every single measurement
  --help            this text

Workloads:
${COMPARED_WORKS.map((work) => `  ${work.padEnd(12)} ${WORK_TITLES[work]}`).join('\n')}
`,
  run: async (parameters, context) => {
    const options = parseOptions(parameters, {
      old: { type: 'string', default: 'HEAD' },
      only: { type: 'string', multiple: true, default: [] },
      threshold: { type: 'string', default: String(THRESHOLD_PERCENT) },
      minutes: { type: 'string', default: String(MINUTES) },
      json: { type: 'boolean', default: false },
    });
    const threshold = wholeNumber('--threshold', options.threshold, { least: 0, most: 1_000 });
    const minutes = wholeNumber('--minutes', options.minutes, { least: 1, most: 120 });
    const comparison = await compareVersions(
      {
        revision: options.old,
        works: chosenWorks(options.only),
        maxRatio: 1 + threshold / 100,
        maxSeconds: minutes * 60,
      },
      context,
    );
    context.print(
      options.json
        ? JSON.stringify({ machine: describeMachine(), threshold, ...comparison }, undefined, 2)
        : renderVersions(comparison, threshold),
    );
    return isAccepted(comparison.figures) ? 0 : 1;
  },
};

function chosenWorks(named: readonly string[]): readonly ComparedWork[] {
  const names = new Set<string>(COMPARED_WORKS);
  const unknown = named.find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new UsageError(`--only knows no '${unknown}'; it takes ${COMPARED_WORKS.join(', ')}`);
  }
  return named.length === 0
    ? COMPARED_WORKS
    : COMPARED_WORKS.filter((work) => named.includes(work));
}

function renderVersions(comparison: VersionsComparison, threshold: number): string {
  const { cores, processor, kernel, node } = describeMachine();
  const works = COMPARED_WORKS.filter((work) =>
    comparison.figures.some((one) => one.work === work),
  );
  return [
    [
      `${cores} cores (${processor}), ${kernel}, Node ${node}; ${formatNumber(comparison.seconds / 60, 1)} minutes`,
      `  old  ${comparison.old}`,
      '  new  the working tree',
    ].join('\n'),
    table([
      ['', 'old', 'new', 'new / old', '95%', 'rounds', `at most ${threshold}% more`],
      ...works.flatMap((work) => [
        [WORK_TITLES[work]],
        ...comparison.figures.filter((one) => one.work === work).map(figureRow),
      ]),
    ]),
    ...troubles(comparison),
  ].join('\n\n');
}

function figureRow(one: FigureComparison): string[] {
  const { title, unit, digits } = FIGURES[one.figure];
  const { range, rounds, disturbed } = one;
  if (rounds + disturbed === 0) {
    return [`  ${title}, ${unit}`, '–', '–', '–', '–', '0', 'not measured'];
  }
  return [
    `  ${title}, ${unit}`,
    formatNumber(one.old, digits),
    formatNumber(one.new, digits),
    formatNumber(one.ratio, 3),
    range === undefined ? '–' : `${formatNumber(range.low, 3)}–${formatNumber(range.high, 3)}`,
    disturbed === 0 ? String(rounds) : `${rounds} (${disturbed} disturbed)`,
    rounds === 0
      ? 'not judged: other programs ran'
      : { within: '✓', costlier: '✗', open: 'not decided' }[one.verdict],
  ];
}

function troubles({ missed, samples }: VersionsComparison): string[] {
  const failed = (['old', 'new'] as const).flatMap((version) =>
    samples[version]
      .filter(({ load }) => load.failed > 0)
      .map(
        ({ work, round, load }) =>
          `  ${version}, ${work}, round ${round}: ${textOf(load.failures)}`,
      ),
  );
  const notMeasured = missed.map(
    ({ version, work, round, reason }) => `  ${version}, ${work}, round ${round}: ${reason}`,
  );
  return [
    ['Not measured:', ...notMeasured],
    ['Requests that were not answered in full:', ...failed],
  ]
    .filter((lines) => lines.length > 1)
    .map((lines) => lines.join('\n'));
}
