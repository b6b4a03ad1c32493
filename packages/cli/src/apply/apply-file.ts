import { setTimeout as delay } from 'node:timers/promises';
import type { ResourceFile } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient, type RpcErrorCode } from '@sluice/rpc';
import { readCatalog } from '../catalog/resources.ts';
import { UsageError } from '../command.ts';
import { planChanges, type Change, type ChangePlan, type PlanOptions } from './plan-changes.ts';

/**
 * The maximum number of attempts to apply a file, by the error of the latest one. Other errors are not retried. Each
 * attempt makes the plan again from the current content of the catalog, which a concurrent change may have altered.
 * `failed_precondition` may be permanent, so it gets fewer attempts.
 */
const MAX_ATTEMPTS: Partial<Readonly<Record<RpcErrorCode, number>>> = {
  conflict: 10,
  already_exists: 10,
  not_found: 10,
  unavailable: 10,
  deadline_exceeded: 10,
  failed_precondition: 3,
};
/** If the catalog answered before and is unreachable now, it is probably restarting, which takes longer. */
const MAX_ATTEMPTS_DURING_RESTART = 100;
const PAUSE_MS = 300;

export interface ApplyOptions extends Omit<PlanOptions, 'nowMs'> {
  readonly dryRun: boolean;
  /** Called once, before the first change. */
  readonly onPlan: (plan: ChangePlan) => void;
}

/**
 * Makes the catalog match the file. If it is interrupted, every reference stays valid and the next run completes it.
 * Returns the plan of the first attempt: the plans of later attempts lack the changes that were made before.
 */
export async function applyFile(
  admin: CatalogAdminClient,
  file: ResourceFile,
  { dryRun, isKept, deletesMany, onPlan }: ApplyOptions,
): Promise<ChangePlan> {
  let firstPlan: ChangePlan | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const plan = planChanges(file, await readCatalog(admin), {
        nowMs: Date.now(),
        isKept,
        deletesMany,
      });
      if (plan.problems.length > 0) throw new UsageError(problemsText(plan.problems));
      if (firstPlan === undefined) onPlan(plan);
      firstPlan ??= plan;
      if (dryRun) return plan;
      for (const change of plan.changes) await carryOut(admin, change);
      return firstPlan;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const isRestarting = error.code === 'unavailable' && firstPlan !== undefined;
      const maximum = isRestarting ? MAX_ATTEMPTS_DURING_RESTART : (MAX_ATTEMPTS[error.code] ?? 0);
      if (attempt >= maximum) throw error;
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
