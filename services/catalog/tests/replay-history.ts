import type { CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';

const Organization = z.object({
  plan: z.string(),
  members: z.array(z.object({ account: z.string() })),
});
const Project = z.object({ organization: z.string() });
const ApiKey = z.object({ project: z.string(), creator: z.string() });

/** The references of an entry, as `kind/id`. */
function referencesOf(kind: string, document: unknown): string[] {
  switch (kind) {
    case 'organizations': {
      const { plan, members } = Organization.parse(document);
      return [`plans/${plan}`, ...members.map(({ account }) => `accounts/${account}`)];
    }
    case 'projects':
      return [`organizations/${Project.parse(document).organization}`];
    case 'api_keys': {
      const { project, creator } = ApiKey.parse(document);
      return [`projects/${project}`, `accounts/${creator}`];
    }
    default:
      return [];
  }
}

export interface Replay {
  readonly changes: number;
  /** Descriptions of references that were broken at some time. */
  readonly dangling: readonly string[];
  /** Changes whose `before` differs from the previous change of the same entry. */
  readonly torn: readonly string[];
}

/**
 * Replays all changes from the audit log. After each change, no reference may be broken, because a caller could have
 * seen the catalog in this state.
 */
export async function replayHistory(admin: CatalogAdminClient): Promise<Replay> {
  const records = [];
  let before = 0;
  do {
    const page = await admin.listAudit({ before });
    records.push(...page.records);
    before = page.nextBefore;
  } while (before !== 0);
  const present = new Map<string, string>();
  const dangling: string[] = [];
  const torn: string[] = [];
  for (const { kind, id, before: old, after, position } of records.toReversed()) {
    const name = `${kind}/${id}`;
    const at = `at ${String(position?.sequence)}`;
    if (present.get(name) !== old) torn.push(`${name} ${at}`);
    if (after === undefined) present.delete(name);
    else present.set(name, after);
    for (const [entry, document] of present) {
      const [entryKind = ''] = entry.split('/', 1);
      for (const reference of referencesOf(entryKind, JSON.parse(document))) {
        if (!present.has(reference)) dangling.push(`${entry} refers to ${reference} ${at}`);
      }
    }
  }
  return { changes: records.length, dangling, torn };
}
