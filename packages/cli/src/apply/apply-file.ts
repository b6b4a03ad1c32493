import { setTimeout as delay } from 'node:timers/promises';
import type { ResourceFile } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient, type RpcErrorCode } from '@sluice/rpc';
import { readCatalog } from '../catalog/resources.ts';
import { UsageError } from '../command.ts';
import { planChanges, type Change, type ChangePlan, type PlanOptions } from './plan-changes.ts';

/**
 * How often a file is tried in total, by the error of the last try. After a conflict with a concurrent change, or while
 * the catalog is unreachable, the plan is made again from the current content. `failed_precondition` may be permanent,
 * so it is tried less often.
 */
const TRIES: Partial<Readonly<Record<RpcErrorCode, number>>> = {
  conflict: 10,
  already_exists: 10,
  not_found: 10,
  unavailable: 10,
  deadline_exceeded: 10,
  failed_precondition: 3,
};
/** If the catalog answered before and is unreachable now, it is probably restarting. It is then tried more often. */
const TRIES_DURING_RESTART = 100;
const PAUSE_MS = 300;

export interface ApplyOptions extends Omit<PlanOptions, 'nowMs'> {
  readonly dryRun: boolean;
  /** Called once, before the first change. */
  readonly onPlan: (plan: ChangePlan) => void;
}

/**
 * Makes the catalog match the file. If it is interrupted, every reference stays valid and the next run completes it.
 */
export async function applyFile(
  admin: CatalogAdminClient,
  file: ResourceFile,
  { dryRun, isKept, deletesMany, onPlan }: ApplyOptions,
): Promise<ChangePlan> {
  let first: ChangePlan | undefined;
  for (let round = 1; ; round += 1) {
    try {
      const plan = planChanges(file, await readCatalog(admin), {
        nowMs: Date.now(),
        isKept,
        deletesMany,
      });
      if (plan.problems.length > 0) throw new UsageError(problemsText(plan.problems));
      if (first === undefined) onPlan(plan);
      first ??= plan;
      if (dryRun) return plan;
      for (const change of plan.changes) await carryOut(admin, change);
      return first;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const isRestarting = error.code === 'unavailable' && first !== undefined;
      const tries = isRestarting ? TRIES_DURING_RESTART : (TRIES[error.code] ?? 0);
      if (round >= tries) throw error;
      await delay(PAUSE_MS);
    }
  }
}

function problemsText(problems: readonly string[]): string {
  if (problems.length === 1) return problems.join('');
  return `the file cannot be applied:\n${problems.map((line) => `  ${line}`).join('\n')}`;
}

/** Makes one change. Every error names the entry. */
async function carryOut(admin: CatalogAdminClient, change: Change): Promise<void> {
  const { kind, document } = change;
  const { id } = document;
  try {
    if (change.action === 'delete') {
      await admin.deleteResource({ kind, id, sequence: change.sequence });
      return;
    }
    const resource = { kind, id, document: JSON.stringify(document) };
    if (change.action === 'create') await admin.createResource(resource);
    else await admin.updateResource({ ...resource, sequence: change.sequence });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const message = error.message.includes(id) ? error.message : `${kind} ${id}: ${error.message}`;
    const { code, connectionFault, isAnswer } = error;
    throw new RpcError(code, message, { cause: error, connectionFault, isAnswer });
  }
}
