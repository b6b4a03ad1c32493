import { formatNumber } from '../report/table.ts';
import type { FaultLog } from './fault-log.ts';
import type { ProcessWatch } from './process-watch.ts';
import type { SoakRecord } from './run-soak.ts';
import type { Disturbance, Tally } from './tally.ts';

export interface Check {
  readonly what: string;
  /** Undefined when the run was too short to judge it. */
  readonly ok: boolean | undefined;
  readonly found: string;
}

/** Descriptors that open and close in normal operation: an idle connection, a rotated log file. */
const TOLERATED_DESCRIPTORS = 8;
/** If the machine was paused for this share of a request, the request is not judged. */
const STANDSTILL_SHARE = 1 / 3;
const MAX_NAMED = 10;

/** All checks of a run, in the order of the report. */
export function judgeSoak(record: SoakRecord): Check[] {
  const { clients, faults, ledger, watch, settledAt } = record;
  return [
    ...judgeOutcomes(clients.tally),
    judgeRecovery(faults),
    judgeEnds(record),
    judgeFailures(record),
    ...ledger,
    ...judgeLimits(record),
    judgeIdle(record),
    judgeMemory(watch, settledAt),
    judgeDescriptors(watch),
  ];
}

function judgeOutcomes({ issued, judged, wrongs }: Tally): Check[] {
  return [
    {
      what: 'every request has one outcome',
      ok: issued === judged,
      found: `${issued} sent, ${judged} judged`,
    },
    {
      what: 'no answer is incomplete, repeated or cleanly ended after a failure',
      ok: wrongs.length === 0,
      found: wrongs.length === 0 ? 'none' : wrongs.slice(0, MAX_NAMED).join('; '),
    },
  ];
}

function judgeRecovery({ faults }: FaultLog): Check {
  const failed = faults.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name}: ${failure}`],
  );
  return {
    what: 'the stack recovered from every fault',
    ok: failed.length === 0,
    found: failed.length === 0 ? `${faults.length} faults` : failed.join('; '),
  };
}

function judgeEnds({ unexpectedEnds }: SoakRecord): Check {
  return {
    what: 'no process ended by itself',
    ok: unexpectedEnds.length === 0,
    found: unexpectedEnds.length === 0 ? 'none' : unexpectedEnds.join(', '),
  };
}

function judgeFailures(record: SoakRecord): Check {
  const { disturbances } = record.clients.tally;
  const outsideFaults = disturbances.filter((interval) => !record.faults.excuses(interval));
  const outsidePauses = outsideFaults.filter((interval) => !wasPaused(interval, record));
  const unexcused = outsidePauses.filter((interval) => !wasStarved(interval, record));
  return {
    what: 'no failure without a fault',
    ok: unexcused.length === 0,
    found:
      unexcused.length === 0
        ? `${disturbances.length} failures, each during a fault, but for ${outsideFaults.length - outsidePauses.length} while the machine itself was paused and ${outsidePauses.length} while other programs used it`
        : describeUnexcused(unexcused, record),
  };
}

function judgeLimits({ clients, faults, lastGreedy, crossedMidnight }: SoakRecord): Check[] {
  const storeKilledAt = faults.faults
    .filter(({ name }) => name === 'kill redis')
    .map(({ startedAt }) => startedAt);
  const minute = clients.model.judgeMinute(storeKilledAt);
  return [
    ...clients.model.judgeDay(lastGreedy, storeKilledAt).map(({ ok, text }) => ({
      what: 'limits of the day equal the model',
      ok: crossedMidnight ? undefined : ok,
      found: crossedMidnight ? 'midnight passed' : text,
    })),
    { what: 'limits of the minute hold', ok: minute.ok, found: minute.text },
  ];
}

function judgeIdle({ left }: SoakRecord): Check {
  const inProgress = Object.entries(left).map(([name, value]) => `${name} ${value}`);
  return {
    what: 'every process became idle',
    ok: inProgress.length === 0,
    found:
      inProgress.length === 0
        ? 'nothing was in progress at any quiet moment'
        : inProgress.join('; '),
  };
}

function judgeMemory(watch: ProcessWatch, settledAt: number): Check {
  const what = 'memory is flat';
  const memory = watch.judgeMemory(settledAt);
  if (memory.length === 0) return { what, ok: undefined, found: 'too short to tell' };
  const grown = memory.filter(({ resident, held }) => !resident.ok || held?.ok === false);
  const namesOf = (findings: typeof memory) => findings.map(({ name }) => name).join(', ');
  return grown.length === 0
    ? { what, ok: true, found: namesOf(memory) }
    : { what, ok: false, found: `${namesOf(grown)} grew` };
}

function judgeDescriptors(watch: ProcessWatch): Check {
  const changes = watch.descriptorChanges();
  const leaked = changes.filter(({ from, to }) => to - from > TOLERATED_DESCRIPTORS);
  return {
    what: 'file descriptors are flat',
    ok: changes.length === 0 ? undefined : leaked.length === 0,
    found: changes.map(({ name, from, to }) => `${name} ${from}→${to}`).join(', '),
  };
}

/** Whether the machine was paused for a large part of a request, so that its deadline is meaningless. */
function wasPaused({ startedAt, endedAt }: Disturbance, { pauses }: SoakRecord): boolean {
  return pauses.pausedMs(startedAt, endedAt) >= (endedAt - startedAt) * STANDSTILL_SHARE;
}

/** Whether a deadline was missed while other programs used much of the machine. */
function wasStarved(disturbance: Disturbance, { foreign }: SoakRecord): boolean {
  return disturbance.detail.startsWith('503 ') && foreign.overlaps(disturbance);
}

/** Groups disturbances by kind, with the previous fault, the time since its end, and the durations. */
function describeUnexcused(
  unexcused: readonly Disturbance[],
  { faults, pauses }: SoakRecord,
): string {
  const groups = new Map<string, { afterMs: number[]; tookMs: number[]; pausedMs: number[] }>();
  for (const { detail, startedAt, endedAt } of unexcused) {
    const before = faults.lastBefore(startedAt);
    const key = before === undefined ? detail : `${detail} after ${before.name}`;
    const group = groups.get(key) ?? { afterMs: [], tookMs: [], pausedMs: [] };
    group.afterMs.push(startedAt - (before?.recoveredAt ?? 0));
    group.tookMs.push(endedAt - startedAt);
    group.pausedMs.push(pauses.pausedMs(startedAt, endedAt));
    groups.set(key, group);
  }
  return [...groups]
    .map(
      ([key, { afterMs, tookMs, pausedMs }]) =>
        `${key} (${afterMs.length} times, ${formatRange(afterMs)} ms after it, each took ${formatRange(tookMs)} ms, in ${formatRange(pausedMs)} of which the machine was paused)`,
    )
    .join('; ');
}

function formatRange(values: readonly number[]): string {
  return `${formatNumber(Math.min(...values), 0)} to ${formatNumber(Math.max(...values), 0)}`;
}
