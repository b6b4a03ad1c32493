import type { Revision } from '@sluice/contracts';
import { readEnvelope, type ChangeAction } from '../model/change-envelope.ts';
import { isResourceKind, parseEntryName, type EntryKind } from '../model/entry-kinds.ts';
import type { ResourceStore, StoreEntry } from '../model/resource-store.ts';

export interface AuditRecord {
  readonly sequence: number;
  readonly atMs: number;
  readonly who: string;
  readonly action: ChangeAction | 'foreign';
  readonly kind: EntryKind;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditQuery {
  /** Selects changes of this kind and this id. Undefined selects all changes. */
  readonly kind?: EntryKind | undefined;
  readonly id?: string | undefined;
  /** Selects changes before this sequence. Undefined starts at the newest change. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Stands for a change that another tool made. Only its sequence is known. */
const FOREIGN = { atMs: 0, who: '', action: 'foreign', before: null, after: null } as const;

/** How many sequences are read from the store at once. */
const RANGE_SIZE = 1_000;
/** Limits the duration of a call if only few records match. */
const MAX_RANGES_PER_PAGE = 20;

/**
 * Returns the newest changes first. `next` is the `before` of the next page, and undefined at the end. A page can be
 * empty although more pages follow.
 */
export async function readAuditLog(
  store: ResourceStore,
  position: Revision,
  query: AuditQuery,
): Promise<{ records: AuditRecord[]; next: number | undefined }> {
  const { before = Infinity, limit } = query;
  const records: AuditRecord[] = [];
  // `before` may lie beyond the end, for example if it comes from another store.
  let to = Math.min(before - 1, position.sequence);
  for (let range = 0; to > 0 && range < MAX_RANGES_PER_PAGE; range += 1) {
    const from = Math.max(1, to - RANGE_SIZE + 1);
    for (const entry of (await store.history(from, to)).toReversed()) {
      const record = wantedRecord(entry, query);
      if (record === undefined) continue;
      if (records.length === limit) return { records, next: records.at(-1)?.sequence };
      records.push(record);
    }
    to = from - 1;
  }
  return { records, next: to > 0 ? to + 1 : undefined };
}

function wantedRecord(entry: StoreEntry, query: AuditQuery): AuditRecord | undefined {
  const name = parseEntryName(entry.name);
  if (name === undefined || !isWanted(name, query)) return undefined;
  const { sequence, value } = entry;
  const envelope = value === undefined ? undefined : readEnvelope(value);
  if (envelope === undefined) return { ...name, ...FOREIGN, sequence };
  return {
    ...name,
    sequence,
    atMs: envelope.at_ms,
    who: envelope.by,
    action: envelope.action,
    before: withoutDigest(envelope.before),
    after: withoutDigest(envelope.document),
  };
}

function isWanted(name: { kind: EntryKind; id: string }, { kind, id }: AuditQuery): boolean {
  const isKindWanted = kind === undefined ? isShownByDefault(name.kind) : name.kind === kind;
  return isKindWanted && (id === undefined || name.id === id);
}

/** Entries of the other kinds are shown only if the query names their kind. */
function isShownByDefault(kind: EntryKind): boolean {
  return isResourceKind(kind) || kind === 'budget_stops';
}

/** Removes the digest of a credential. It is not a secret, but readers of the log have no use for it. */
function withoutDigest(document: Record<string, unknown> | null): object | null {
  if (document === null) return null;
  const { sha256: _sha256, ...rest } = document;
  return rest;
}
