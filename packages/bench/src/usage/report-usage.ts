import { isBusyWithOthers } from '../measure/busy-machine.ts';
import { formatNumber, formatSummary, table } from '../report/table.ts';
import type { AskedQuestion } from './ask-questions.ts';
import type { MeasuredFlow } from './measure-flow.ts';
import type { DatabaseKind, FilledTables } from './usage-stage.ts';

export interface UsageReport {
  readonly database: DatabaseKind;
  readonly records: number;
  readonly filled: Pick<FilledTables, 'fillSeconds' | 'cost'>;
  readonly questions: readonly AskedQuestion[];
  /** Null if it was left out. */
  readonly flow: MeasuredFlow | null;
}

/** What is promised. The embedded database is for one machine, and has no promise about its CPU time. */
const RECORD_US = 40;
const LAG_S = 2;
const FOLLOW_MS = 1_000;

/** The promises that are broken. Times are not judged while other programs keep the processors busy. */
export function brokenPromises({ database, questions, flow }: UsageReport): string[] {
  const slow = questions
    .filter(({ ms, withinMs }) => ms === undefined || ms.median > withinMs)
    .map(({ question }) => `too slow: ${question}`);
  if (flow === null) return slow;
  const broken = [...slow];
  if (flow.wrong_records > 0) broken.push('records were lost or counted twice');
  if (database === 'postgres') {
    if (flow.service_us > RECORD_US) broken.push('a record costs the service too much');
    if ((flow.database_us ?? 0) > RECORD_US) broken.push('a record costs the database too much');
  }
  if (isBusyWithOthers(flow.foreign_cores)) return broken;
  if (flow.lag_s.most > LAG_S) broken.push('usage is too far behind the ledger');
  if (flow.follow_ms.p99 > FOLLOW_MS || flow.follow_ms.unseen > 0) {
    broken.push('requests --follow is late');
  }
  return broken;
}

export function renderUsage(report: UsageReport): string {
  const { database, records, filled, questions, flow } = report;
  const hasServer = database === 'postgres';
  const parts = [
    table([
      [`${formatNumber(records, 0)} records in ${database}`, '', ''],
      ['  filled in, s', formatNumber(filled.fillSeconds, 0), ''],
      ['  CPU of a record, the store alone, service, µs', filled.cost.service, ''],
      ...(hasServer
        ? [['  CPU of a record, the store alone, database, µs', filled.cost.database, '']]
        : []),
      ['Each question by one command, ms', 'median [range]', 'at most'],
      ...questions.map(({ question, ms, withinMs }) => [
        `  ${question}`,
        formatSummary(ms, 0),
        formatNumber(withinMs, 0),
      ]),
    ]),
    ...(flow === null ? [] : [renderFlow(flow, hasServer)]),
  ];
  if (flow !== null && isBusyWithOthers(flow.foreign_cores)) {
    parts.push('Other programs kept the processors busy: the times of the flow are not judged.');
  }
  const broken = brokenPromises(report);
  return [...parts, ...broken.map((promise) => `BROKEN: ${promise}`)].join('\n\n');
}

function renderFlow(flow: MeasuredFlow, hasServer: boolean): string {
  const limit = (value: number) => (hasServer ? String(value) : '');
  return table([
    ['From the ledger to the tables', '', 'at most'],
    ['  requests a second', formatNumber(flow.requests_per_second, 0), ''],
    ['  CPU of a record, service, µs', formatNumber(flow.service_us, 1), limit(RECORD_US)],
    ...(flow.database_us === null
      ? []
      : [['  CPU of a record, database, µs', formatNumber(flow.database_us, 1), limit(RECORD_US)]]),
    ['  lag that usage reports, median, s', formatNumber(flow.lag_s.median, 2), ''],
    ['  lag that usage reports, highest, s', formatNumber(flow.lag_s.most, 2), String(LAG_S)],
    [
      '  until `requests --follow` shows it, median, ms',
      formatNumber(flow.follow_ms.median, 0),
      '',
    ],
    [
      '  until `requests --follow` shows it, p99, ms',
      formatNumber(flow.follow_ms.p99, 0),
      formatNumber(FOLLOW_MS, 0),
    ],
    ['  processors used by other programs', formatNumber(flow.foreign_cores, 2), ''],
    ['After usage was stopped', '', ''],
    ['  records to catch up with', formatNumber(flow.catch_up.records, 0), ''],
    ['  records a second', formatNumber(flow.catch_up.per_second, 0), ''],
    ['Records lost or counted twice', formatNumber(flow.wrong_records, 0), '0'],
  ]);
}
