import { isBusyWithOthers, wasStolenFrom } from '../measure/busy-machine.ts';
import type { Machine } from '../measure/process-usage.ts';
import { summarize, type Summary } from '../measure/statistics.ts';
import { formatNumber, table } from '../report/table.ts';

export interface ConsoleMeasurement {
  readonly machine: Machine;
  readonly keys: number;
  readonly organizations: number;
  readonly workers: number;
  readonly requests: number;
  /** Milliseconds of each round, by what was measured. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  /** Bytes of JavaScript as they were sent. */
  readonly scriptBytes: { readonly firstPage: number; readonly all: number };
  /** Cores that programs outside the benchmark used. */
  readonly foreignCores: number;
  /** The share of the processor time that the host took. */
  readonly stolenShare: number;
}

interface Verdict {
  readonly name: string;
  readonly times: Summary;
  readonly limitMs: number;
  /** Undefined if the machine was disturbed. */
  readonly kept: boolean | undefined;
}

export interface ConsoleReport extends ConsoleMeasurement {
  readonly verdicts: readonly Verdict[];
  readonly disturbance: string | undefined;
  readonly scriptsKept: boolean;
}

const USABLE_MS = 1_000;
const SCRIPT_LIMIT_BYTES = 250_000;
/** What is promised another time than that of a page. */
const OTHER_LIMITS_MS: Readonly<Record<string, number>> = {
  'A request until it is in the usage': 2_000,
};

/** Judges the median of the rounds. Times of a disturbed machine are not judged. */
export function reportConsole(measured: ConsoleMeasurement): ConsoleReport {
  const disturbance = disturbanceOf(measured);
  const verdicts = Object.entries(measured.times).flatMap(([name, all]): Verdict[] => {
    const times = summarize(all);
    if (times === undefined) return [];
    const limitMs = OTHER_LIMITS_MS[name] ?? USABLE_MS;
    const kept = disturbance === undefined ? times.median <= limitMs : undefined;
    return [{ name, times, limitMs, kept }];
  });
  return {
    ...measured,
    verdicts,
    disturbance,
    scriptsKept: measured.scriptBytes.all <= SCRIPT_LIMIT_BYTES,
  };
}

export function breaksConsolePromise({ verdicts, scriptsKept }: ConsoleReport): boolean {
  return verdicts.some(({ kept }) => kept === false) || !scriptsKept;
}

export function renderConsole(report: ConsoleReport): string {
  const { machine, verdicts, scriptBytes, scriptsKept, disturbance } = report;
  const count = (value: number) => formatNumber(value, 0);
  const kilobytes = (bytes: number) => `${formatNumber(bytes / 1_000, 1)} KB`;
  return [
    [
      `${machine.cores} cores (${machine.processor}), ${machine.kernel}, Node ${machine.node}`,
      `${count(report.keys)} keys, ${count(report.organizations)} organizations, ${count(report.workers)} workers, ${count(report.requests)} requests`,
    ].join('\n'),
    table([
      ['Until it is usable, ms', 'median', 'worst', 'promised'],
      ...verdicts.map(({ name, times, limitMs, kept }) => [
        `  ${signOf(kept)} ${name}`,
        count(times.median),
        count(times.most),
        count(limitMs),
      ]),
    ]),
    table([
      ['JavaScript, compressed', 'sent', 'promised'],
      ['    First page', kilobytes(scriptBytes.firstPage), ''],
      [
        `  ${signOf(scriptsKept)} All pages together`,
        kilobytes(scriptBytes.all),
        kilobytes(SCRIPT_LIMIT_BYTES),
      ],
    ]),
    `Other programs used ${formatNumber(report.foreignCores, 2)} cores, and the host took ${formatNumber(report.stolenShare * 100, 1)}% of the processor time${disturbance === undefined ? '.' : `: times are not judged, because ${disturbance}.`}`,
  ].join('\n\n');
}

function signOf(kept: boolean | undefined): string {
  return kept === undefined ? '?' : kept ? '✓' : '✗';
}

function disturbanceOf({ foreignCores, stolenShare }: ConsoleMeasurement): string | undefined {
  if (isBusyWithOthers(foreignCores)) return 'other programs used too much';
  if (wasStolenFrom(stolenShare)) return 'the machine ran too slowly';
  return undefined;
}
