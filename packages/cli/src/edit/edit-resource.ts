import { ResourceSchemas } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import type { FileKind } from '../apply/file-kinds.ts';
import { changedFields, type Change } from '../apply/plan-changes.ts';
import { changeLine } from '../apply/show-plan.ts';
import { findResource, unknownFieldProblems } from '../catalog/resources.ts';
import { CommandFailure, UsageError } from '../command.ts';
import type { Shown } from '../output/formats.ts';
import type { Draft } from './fields.ts';

/** How often a change is tried in total, if the entry is changed at the same time. */
const TRIES = 5;

type Edit = (draft: Draft) => void;

export async function createEntry(
  admin: CatalogAdminClient,
  { kind, id, edit }: { kind: FileKind; id: string; edit: Edit | undefined },
): Promise<Shown> {
  const draft: Draft = { id };
  edit?.(draft);
  const document = checked(kind, draft);
  await admin.createResource({ kind, id, document: JSON.stringify(document) });
  return shown({ action: 'create', kind, document });
}

/** Changes an entry. Fields that `edit` does not change stay. */
export async function setFields(
  admin: CatalogAdminClient,
  { kind, id, edit }: { kind: FileKind; id: string; edit: Edit },
): Promise<Shown> {
  for (let round = 1; ; round += 1) {
    const found = await findResource(admin, kind, id);
    if (found === undefined) {
      throw new CommandFailure(`there is no ${id} among ${kind}; 'sluice get ${kind}' lists them`);
    }
    const [problem] = unknownFieldProblems(kind, [found]);
    if (problem !== undefined) throw new CommandFailure(problem);
    const draft: Draft = structuredClone({ ...found.document });
    edit(draft);
    const document = checked(kind, draft);
    const fields = changedFields(found.document, document);
    if (fields.length === 0) {
      return { data: document, text: () => `${kind}/${id} has these values already` };
    }
    const { sequence } = found;
    try {
      await admin.updateResource({ kind, id, document: JSON.stringify(document), sequence });
      return shown({ action: 'update', kind, document, sequence, fields });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== 'conflict' || round >= TRIES) throw error;
    }
  }
}

function shown(change: Change): Shown {
  return { data: change.document, text: () => changeLine(change) };
}

function checked(kind: FileKind, draft: Draft): { id: string } {
  const { data, error } = ResourceSchemas[kind].safeParse(draft);
  if (data !== undefined) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new UsageError(problems.join('; '));
}
