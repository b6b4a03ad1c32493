import { CommandFailure } from '../command.ts';
import { harmlessLine } from '../harmless-text.ts';
import { table } from '../table.ts';
import type { WorkerRow } from './fleet-view.ts';

/**
 * A name of the worker that no other one has: its own name, with its pool if another pool has the name too. Two workers
 * of one pool with the same name are told apart by their ids.
 */
export function labelOf(row: WorkerRow, rows: readonly WorkerRow[]): string {
  const namesakes = rows.filter(({ name }) => name === row.name);
  if (namesakes.length <= 1) return row.name;
  const isOnlyOneOfPool = namesakes.filter(({ pool }) => pool === row.pool).length === 1;
  return isOnlyOneOfPool ? `${row.pool}/${row.name}` : row.worker;
}

/** Whether a person may mean this worker. */
export function isMeant({ worker, name, pool }: WorkerRow, wanted: string): boolean {
  return wanted === worker || wanted === name || wanted === `${pool}/${name}`;
}

/** The worker that a person means by its name, by POOL/NAME or by its id. Throws a CommandFailure if it is not one. */
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

function candidates(some: readonly WorkerRow[], rows: readonly WorkerRow[]): string {
  const shown = some.slice(0, MAX_CANDIDATES);
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
  const rest = some.length - shown.length;
  return rest > 0 ? `${text}\nand ${rest} more: see 'sluice fleet'` : text;
}
