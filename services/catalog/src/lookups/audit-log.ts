import type { Revision } from '@sluice/contracts';
import { readEnvelope, type ChangeAction } from './change-envelope.ts';
import { isResourceKind, parseEntryName, type EntryKind } from './entry-kinds.ts';
import type { ResourceStore, StoreEntry } from './resource-store.ts';

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
  /** Only changes of this kind, and of this id; undefined takes all. */
  readonly kind?: EntryKind | undefined;
  readonly id?: string | undefined;
  /** Only changes before this sequence; undefined starts with the newest. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A change made past the catalog, by other tools: all that is known of it is where it stands. */
const FOREIGN = { atMs: 0, who: '', action: 'foreign', before: null, after: null } as const;

/** How much of the store's history is looked at in one go. */
const STRETCH = 1_000;
/** A call has seconds, and a history that holds little of what is asked for has no end. */
const STRETCHES_A_PAGE = 20;

/** The newest changes first. `next` is where to go on, also when none was found so far; undefined at the end. */
export async function readAuditLog(
  store: ResourceStore,
  position: Revision,
  query: AuditQuery,
): Promise<{ records: AuditRecord[]; next: number | undefined }> {
  const { before = Infinity, limit } = query;
  const records: AuditRecord[] = [];
  // A place beyond the end is another store's, or nobody's: there is nothing to look through on the way to it.
  let to = Math.min(before - 1, position.sequence);
  for (let stretch = 0; to > 0 && stretch < STRETCHES_A_PAGE; stretch += 1) {
    const from = Math.max(1, to - STRETCH + 1);
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

/** The catalog's own keys turn over by themselves: they are shown to whoever asks for them. */
function isWanted(name: { kind: EntryKind; id: string }, { kind, id }: AuditQuery): boolean {
  if (kind === undefined ? !isResourceKind(name.kind) : name.kind !== kind) return false;
  return id === undefined || name.id === id;
}

/** A digest opens nothing, but a log that people read and copy has no use for it. */
function withoutDigest(document: Record<string, unknown> | null): object | null {
  if (document === null) return null;
  const { sha256: _sha256, ...rest } = document;
  return rest;
}
