import { isDeepStrictEqual } from 'node:util';
import { withKeptFields, type ResourceFile } from '@sluice/contracts';
import {
  unknownFieldProblems,
  type CatalogContent,
  type StoredResource,
} from '../catalog/resources.ts';
import { danglingReferences, type Documents } from './dangling-references.ts';
import { FILE_KINDS, type FileKind } from './file-kinds.ts';

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export type Change =
  | { readonly action: 'create'; readonly kind: FileKind; readonly document: { id: string } }
  | {
      readonly action: 'update';
      readonly kind: FileKind;
      readonly document: { id: string };
      readonly sequence: number;
      readonly fields: readonly FieldChange[];
    }
  | {
      readonly action: 'delete';
      readonly kind: FileKind | 'api_keys';
      readonly document: { id: string };
      readonly sequence: number;
    };

export interface ChangePlan {
  /** The changes, in an order that keeps every reference valid after each of them. */
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** Reasons not to apply the plan. Empty if it can be applied. */
  readonly problems: readonly string[];
}

export interface PlanOptions {
  readonly nowMs: number;
  /** Whether an entry is kept although the file does not list it. */
  readonly isKept: (kind: FileKind, document: { readonly id: string }) => boolean;
  /**
   * Whether the operator has confirmed that most resources of a kind may be deleted. Without the confirmation, a file
   * that would delete so many is refused, because it may be truncated.
   */
  readonly deletesMany: boolean;
}

/** Deleting at least this many resources, and more than half of their kind, needs a confirmation. */
const MANY = 10;

/**
 * Plans the changes that make a catalog match a file. A list in the file is complete: a resource missing from it is
 * deleted, unless it was created in the web console. A kind that the file leaves out is not changed. A resource is
 * written after the resources that it refers to, and deleted before them.
 */
export function planChanges(
  file: ResourceFile,
  content: CatalogContent,
  { nowMs, isKept, deletesMany }: PlanOptions,
): ChangePlan {
  const writes: Change[] = [];
  const deletions: Change[] = [];
  const lostFields: string[] = [];
  let unchanged = 0;
  for (const kind of FILE_KINDS) {
    const wanted = file[kind];
    if (wanted === undefined) continue;
    const present = new Map(entriesOf(content, kind).map((entry) => [entry.id, entry]));
    for (const listed of wanted) {
      const entry = present.get(listed.id);
      const document = entry === undefined ? listed : withKeptFields(kind, entry.document, listed);
      present.delete(document.id);
      const fields = entry === undefined ? [] : changedFields(entry.document, document);
      if (entry === undefined) writes.push({ action: 'create', kind, document });
      else if (fields.length === 0) unchanged += 1;
      else {
        writes.push({ action: 'update', kind, document, sequence: entry.sequence, fields });
        lostFields.push(...unknownFieldProblems(kind, [entry]));
      }
    }
    for (const { document, sequence } of present.values()) {
      if (isManagedByConsole(document) || isKept(kind, document)) unchanged += 1;
      // In front, because a later kind refers to earlier ones and is deleted before them.
      else deletions.unshift({ action: 'delete', kind, document, sequence });
    }
  }
  const { keys, problems } = planKeyDeletions(deletions, content.api_keys, nowMs);
  problems.push(...lostFields, ...movedProjects(file, content));
  problems.push(...danglingReferences(contentAfter(file, content, isKept)));
  if (!deletesMany) problems.push(...massDeletions(file, deletions, content));
  return { changes: [...writes, ...keys, ...deletions], unchanged, problems };
}

/** Widens the entries to a type that all kinds share, so that one loop handles every kind. */
function entriesOf(content: CatalogContent, kind: FileKind): readonly StoredResource<FileKind>[] {
  return content[kind];
}

/** A file never deletes what people have created in the web console. */
function isManagedByConsole(document: object): boolean {
  return 'managed_by' in document && document.managed_by === 'console';
}

/** What the catalog would contain after the changes. */
function contentAfter(
  file: ResourceFile,
  content: CatalogContent,
  isKept: PlanOptions['isKept'],
): Documents {
  const kept = <Kind extends FileKind>(kind: Kind) => {
    const present = content[kind].map(({ document }) => document);
    const wanted: readonly { readonly id: string }[] | undefined = file[kind];
    if (wanted === undefined) return present;
    const named = new Set(wanted.map(({ id }) => id));
    return present.filter(
      (document) =>
        !named.has(document.id) && (isManagedByConsole(document) || isKept(kind, document)),
    );
  };
  return {
    plans: [...(file.plans ?? []), ...kept('plans')],
    models: [...(file.models ?? []), ...kept('models')],
    accounts: [...(file.accounts ?? []), ...kept('accounts')],
    organizations: [...(file.organizations ?? []), ...kept('organizations')],
    projects: [...(file.projects ?? []), ...kept('projects')],
  };
}

/**
 * The catalog refuses to move a project to another organization. The plan reports it first, so that applying does not
 * stop half-way.
 */
function movedProjects({ projects = [] }: ResourceFile, content: CatalogContent): string[] {
  const owners = new Map(content.projects.map(({ id, document }) => [id, document.organization]));
  return projects.flatMap(({ id, organization }) => {
    const owner = owners.get(id);
    if (owner === undefined || owner === organization) return [];
    return [`project ${id} belongs to organization ${owner} and cannot move to another`];
  });
}

/**
 * Finds kinds that would lose most of their resources, because a truncated file may still be valid YAML. An empty list
 * counts as intended.
 */
function massDeletions(
  file: ResourceFile,
  deletions: readonly Change[],
  content: CatalogContent,
): string[] {
  return FILE_KINDS.flatMap((kind) => {
    const total = content[kind].length;
    const deleted = deletions.filter((change) => change.kind === kind).length;
    if (deleted < MANY || deleted * 2 <= total || file[kind]?.length === 0) return [];
    return [
      `it would delete ${deleted} of ${total} ${kind}: if the file is complete and this is intended, add --delete-many`,
    ];
  });
}

/**
 * Finds the API keys whose project or creator would be deleted. A key cannot be restored from a file, so a key that still
 * works prevents the deletion: it is a problem. A revoked or expired key is deleted first.
 */
function planKeyDeletions(
  deletions: readonly Change[],
  apiKeys: CatalogContent['api_keys'],
  nowMs: number,
): { keys: Change[]; problems: string[] } {
  const deletedIds = (kind: FileKind) =>
    new Set(deletions.filter((change) => change.kind === kind).map(({ document }) => document.id));
  const projects = deletedIds('projects');
  const accounts = deletedIds('accounts');
  const dead: Change[] = [];
  const problems: string[] = [];
  for (const { document, sequence } of apiKeys) {
    const { id, project, creator, revoked_at_ms, expires_at_ms } = document;
    let owner: string;
    if (projects.has(project)) owner = `project ${project}`;
    else if (accounts.has(creator)) owner = `account ${creator}`;
    else continue;
    const isDead = revoked_at_ms !== null || (expires_at_ms !== null && expires_at_ms <= nowMs);
    if (isDead) dead.push({ action: 'delete', kind: 'api_keys', document: { id }, sequence });
    else {
      problems.push(
        `${owner} cannot be deleted: its API key ${id} still works; 'sluice keys revoke ${id}' first`,
      );
    }
  }
  return { keys: dead, problems };
}

export function changedFields(before: object, after: object): FieldChange[] {
  const old: Readonly<Record<string, unknown>> = { ...before };
  const now: Readonly<Record<string, unknown>> = { ...after };
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(old[name], now[name]))
    .map((field) => ({ field, before: old[field], after: now[field] }));
}
