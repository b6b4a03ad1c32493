import { CommandFailure } from '../command.ts';
import { harmlessLine } from '../harmless-text.ts';
import { table } from '../table.ts';
import type { WorkerRow } from './fleet-view.ts';

/**
 * A name that only this worker has: its own name, or POOL/NAME if a worker of another pool has the same name. Two workers
 * of one pool with the same name are told apart by their ids.
 */
export function labelOf(row: WorkerRow, rows: readonly WorkerRow[]): string {
  const namesakes = rows.filter(({ name }) => name === row.name);
  if (namesakes.length <= 1) return row.name;
  const isOnlyOneOfPool = namesakes.filter(({ pool }) => pool === row.pool).length === 1;
  return isOnlyOneOfPool ? `${row.pool}/${row.name}` : row.worker;
}

/** Whether `wanted` is the id of the worker, its name or POOL/NAME. */
export function isMeant({ worker, name, pool }: WorkerRow, wanted: string): boolean {
  return wanted === worker || wanted === name || wanted === `${pool}/${name}`;
}

/** The worker with this name, POOL/NAME or id. Throws a CommandFailure unless exactly one worker is meant. */
export function findWorker(rows: readonly WorkerRow[], wanted: string): WorkerRow {
  const named = rows.filter((row) => isMeant(row, wanted));
  const alive = named.filter(({ state }) => state !== 'silent');
  const [found] = alive;
  if (found !== undefined && alive.length === 1) return found;
  const shown = harmlessLine(wanted);
  if (found !== undefined) {
    throw new CommandFailure(
      `'${shown}' is ${alive.length} workers. Name one of them as in the first column:\n${candidates(alive, rows)}`,
    );
  }
  if (named.length > 0) throw new CommandFailure(`'${shown}' sends no heartbeats any more`);
  if (rows.length === 0) throw new CommandFailure('no worker sends heartbeats');
  throw new CommandFailure(`there is no worker '${shown}'. There are:\n${candidates(rows, rows)}`);
}

const MAX_CANDIDATES = 20;

/** A table of the workers in `listed`. Their names are chosen among all `rows`. */
function candidates(listed: readonly WorkerRow[], rows: readonly WorkerRow[]): string {
  const shown = listed.slice(0, MAX_CANDIDATES);
  const text = table(
    ['worker', 'pool', 'host', 'runtime', 'state'],
    shown.map((row) => [
      labelOf(row, rows),
      row.pool,
      row.host ?? '-',
      row.runtime ?? '-',
      row.state,
    ]),
  );
  const rest = listed.length - shown.length;
  return rest > 0 ? `${text}\nand ${rest} more: see 'sluice fleet'` : text;
}
