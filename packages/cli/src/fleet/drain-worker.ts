import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@sluice/bus';
import {
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_LATE_MS,
  type ControlMessage,
  type Subjects,
} from '@sluice/contracts';
import { CommandFailure } from '../command.ts';
import { findWorker, isMeant } from './find-worker.ts';
import type { FleetView, WorkerRow } from './fleet-view.ts';

const CHECK_MS = 50;
/** An order is repeated until the worker has obeyed, because NATS may lose the message. */
const REPEAT_MS = 500;
/** A worker answers at once. This allows for a machine that is very busy. */
const ANSWER_MS = 10_000;
const PROGRESS_MS = 1_000;

export interface DrainContext {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly view: FleetView;
}

/**
 * Finds the worker among those that send heartbeats. Waits for the heartbeats of all workers, because another one could
 * have the same name.
 */
export async function awaitWorker(
  view: FleetView,
  wanted: string,
  { listenMs = HEARTBEAT_LATE_MS } = {},
): Promise<WorkerRow> {
  await delay(listenMs);
  await until(
    () => rowsOf(view).some((row) => isMeant(row, wanted)),
    HEARTBEAT_FRESH_MS - listenMs,
  );
  return findWorker(rowsOf(view), wanted);
}

/** Tells the worker to drain or to take jobs again. Resolves when its heartbeat shows that it has obeyed. */
export async function orderWorker(
  { bus, subjects, view }: DrainContext,
  { worker, version }: WorkerRow,
  kind: 'drain' | 'undrain',
): Promise<void> {
  const message: ControlMessage = { kind };
  const payload = Buffer.from(JSON.stringify(message));
  const obeys = () => {
    const row = rowOf(view, worker);
    return row !== undefined && isDraining(row) === (kind === 'drain');
  };
  const giveUpAt = performance.now() + ANSWER_MS;
  while (performance.now() < giveUpAt) {
    bus.publish(subjects.control(worker), payload);
    if (await until(obeys, REPEAT_MS)) return;
  }
  throw new CommandFailure(
    kind === 'drain'
      ? `the worker does not obey. It has version ${version}: 0.2.0 cannot be drained by a command. Or the NATS user of this command may not publish to ${subjects.control('*.*')}`
      : 'the worker still drains. A worker that was told to stop takes no jobs again',
  );
}

/**
 * Resolves to true when the drained worker has no jobs left, and to false when the signal `interrupted` is aborted.
 * `show` is called when the jobs of the worker have changed, at most once a second.
 */
export async function untilEmpty(
  view: FleetView,
  worker: string,
  { interrupted, show }: { interrupted: AbortSignal; show: (row: WorkerRow) => void },
): Promise<boolean> {
  let shown = '';
  let shownAt = -Infinity;
  let last: WorkerRow | undefined;
  while (!interrupted.aborted) {
    const row = rowOf(view, worker);
    if (row === undefined || row.state === 'silent') throw workerEnded(last);
    if (!isDraining(row)) throw new CommandFailure('the worker takes jobs again: it was undrained');
    if (row.state === 'drained') return true;
    last = row;
    const jobs = jobsText(row);
    if (jobs !== shown && performance.now() - shownAt >= PROGRESS_MS) {
      shown = jobs;
      shownAt = performance.now();
      show(row);
    }
    await delay(CHECK_MS);
  }
  return false;
}

export function jobsText({ running, queued }: WorkerRow): string {
  return `${running} running, ${queued} queued`;
}

function workerEnded(last: WorkerRow | undefined): CommandFailure {
  const jobs = last === undefined ? '' : `; at its last heartbeat it had ${jobsText(last)}`;
  return new CommandFailure(`the worker has ended or cannot reach NATS${jobs}`);
}

function isDraining({ state }: WorkerRow): boolean {
  return state === 'draining' || state === 'drained';
}

function rowsOf(view: FleetView): WorkerRow[] {
  return view.rows(performance.now());
}

function rowOf(view: FleetView, id: string): WorkerRow | undefined {
  return rowsOf(view).find(({ worker }) => worker === id);
}

/** Resolves to whether the condition became true in time. */
async function until(condition: () => boolean, limitMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() >= giveUpAt) return false;
    await delay(CHECK_MS);
  }
  return true;
}
