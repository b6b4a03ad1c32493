import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Interrupted, runProgram } from '@sluice/servers';
import { RUN_MARK, processesLeftBehind } from './leaks/left-processes.ts';
import { NOT_RUN_FILE, explainNotRun, parseNotRun } from './runner/not-run.ts';
import { readProcessorTime, stolenShare } from './runner/stolen-time.ts';
import { exitCodeOf, summarize, type Summary } from './runner/test-report.ts';

interface Suite {
  readonly check: boolean;
  readonly projects: readonly string[];
  /** When the suite passes although none of its tests could run, because this system lacks what they need. */
  readonly mayBeAbsent: 'never' | 'outside CI' | 'always';
}

const SUITES = {
  all: {
    check: true,
    projects: ['unit', 'integration', 'measured', 'end-to-end'],
    mayBeAbsent: 'never',
  },
  faults: { check: false, projects: ['faults', 'measured-faults'], mayBeAbsent: 'never' },
  // A shallow clone does not have the commit of the release.
  versions: { check: false, projects: ['versions'], mayBeAbsent: 'always' },
  llama: { check: false, projects: ['llama'], mayBeAbsent: 'outside CI' },
} as const satisfies Record<string, Suite>;

const HELP = `Usage: npm test [-- PATH…]       the checks, then unit, integration and end-to-end tests;
                             with a PATH or a part of one, only the tests there
       npm run test:faults [-- PATH…]   tests that kill, freeze and restart processes
       npm run test:versions            services of the previous release beside those of today
       npm run test:llama               the worker on a real llama.cpp server

The exit code is 1 if something fails, and 2 if the command is wrong.`;

const { suite, filters } = readParameters();

const root = join(import.meta.dirname, '../../..');
const folder = await realpath(await mkdtemp(join(tmpdir(), 'sluice-tests-')));
// PostgreSQL does not run as root: a test that is root starts it as another user, who must reach its files here.
await chmod(folder, 0o711);
const notRunFile = join(folder, 'not-run.jsonl');
const reportFile = join(folder, 'report.json');
const environment = {
  ...process.env,
  // Tests start hundreds of processes, which all load the same modules.
  NODE_COMPILE_CACHE: join(root, '.tools/compile-cache'),
  // Temporary files of tests are deleted at the end of the run.
  TMPDIR: folder,
  [NOT_RUN_FILE]: notRunFile,
  [RUN_MARK]: folder,
};
const summary = {
  passed: 0,
  failed: 0,
  problems: new Array<string>(),
  notRun: new Array<string>(),
  passedAgain: new Array<string>(),
};
/**
 * If the host takes more than this share of the processor time, tests with deadlines may fail for this reason alone. In
 * this case, the files that failed are run again, one at a time. If the host takes less, a failure is final.
 */
const DISTURBED_SHARE = 0.02;
/** If more files failed, they are not run again: the host is not the reason. */
const MAX_FILES_RUN_AGAIN = 20;
const startedAt = performance.now();

try {
  await writeFile(notRunFile, '');
  if (suite.check && filters.length === 0) await runCheck();
  await runSuites(suite.projects);
  report();
} catch (error) {
  if (!(error instanceof Interrupted)) throw error;
  console.error(`npm test: ${error.message}`);
  process.exitCode = error.exitCode;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function readParameters(): { suite: Suite; filters: string[] } {
  try {
    const { values, positionals } = parseArgs({
      options: {
        suite: { type: 'string', default: 'all' },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(HELP);
      return process.exit(0);
    }
    const chosen = new Map<string, Suite>(Object.entries(SUITES)).get(values.suite);
    if (chosen !== undefined) return { suite: chosen, filters: positionals };
    console.error(`--suite must be one of ${Object.keys(SUITES).join(', ')}, not ${values.suite}`);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`npm test: ${error.message.split(/\. |\n/, 1)[0]}; see --help`);
  }
  return process.exit(2);
}

async function runCheck(): Promise<void> {
  const code = await runProgram(process.execPath, ['packages/devkit/src/check.ts'], {
    cwd: root,
    environment,
  });
  if (code === 0) summary.passed += 1;
  else {
    summary.failed += 1;
    summary.problems.push('the check failed: run `npm run check` to see only its output');
  }
}

async function runSuites(projects: readonly string[]): Promise<void> {
  console.log(`\nTesting: ${projects.join(', ')}`);
  const before = await readProcessorTime();
  const first = await runVitest(projects, filters);
  const stolen = stolenShare(before, await readProcessorTime());
  const { failedFiles } = first;
  const isDisturbed = stolen > DISTURBED_SHARE;
  summary.passed += first.passed;
  if (isDisturbed) console.log(`\nThe host took ${percent(stolen)} of the processor time.`);
  if (isDisturbed && failedFiles.length > 0 && failedFiles.length <= MAX_FILES_RUN_AGAIN) {
    for (const problem of first.problems) console.log(`Failed: ${problem}`);
    console.log(`Running ${failedFiles.length} files again, one at a time.`);
    const again = await runVitest(projects, failedFiles, ['--no-file-parallelism']);
    addFailures(again);
    // The tests that passed in the first run are counted already.
    summary.passed += Math.max(0, first.failed - again.failed);
    const stillFailing = new Set(again.failedFiles);
    summary.passedAgain.push(...failedFiles.filter((file) => !stillFailing.has(file)));
  } else addFailures(first);
  summary.notRun.push(
    ...explainNotRun(first.skipped, parseNotRun(await readFile(notRunFile, 'utf8'))),
  );
  const left = await processesLeftBehind(folder);
  if (left.length > 0) {
    summary.failed += 1;
    summary.problems.push(`processes left behind: ${left.join(', ')}`);
  }
}

function addFailures({ failed, problems }: Summary): void {
  summary.failed += failed;
  summary.problems.push(...problems);
}

async function runVitest(
  projects: readonly string[],
  files: readonly string[],
  options: readonly string[] = [],
): Promise<Summary> {
  await rm(reportFile, { force: true });
  const code = await runProgram(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportFile}`,
      ...options,
      ...files,
    ],
    { cwd: root, environment },
  );
  const reported = await readFile(reportFile, 'utf8').catch(() => undefined);
  return summarize(reported, { code, root, filters: files });
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function report(): void {
  console.log(`\nTook ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
  for (const problem of summary.problems) console.log(`FAILED: ${problem}`);
  for (const file of summary.passedAgain) console.log(`PASSED WHEN RUN AGAIN: ${file}`);
  for (const line of summary.notRun) console.log(line);
  console.log(`${summary.passed} passed, ${summary.failed} failed`);
  const outsideCi = (process.env['CI'] ?? '') === '';
  process.exitCode = exitCodeOf(summary, {
    mayBeAbsent:
      suite.mayBeAbsent === 'always' || (suite.mayBeAbsent === 'outside CI' && outsideCi),
  });
}
