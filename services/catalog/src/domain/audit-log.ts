import type { ResourceKind } from '@sluice/contracts';
import { decodeChange, type ChangeAction } from './change-envelope.ts';
import { parseEntryName, type DocumentOf, type EntryKind } from './entry-kinds.ts';
import type { ResourceStore, StoreEntry, StorePosition } from './resource-store.ts';

export interface AuditRecord {
  readonly sequence: number;
  readonly atMs: number;
  readonly who: string;
  readonly action: ChangeAction;
  readonly kind: EntryKind;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditQuery {
  /** Only changes of this kind, and of this id; empty takes all. */
  readonly kind: ResourceKind | '';
  readonly id: string;
  /** Only changes before this sequence; 0 starts with the newest. */
  readonly before: number;
  readonly limit: number;
}

/** How much of the store's history is looked at in one go. */
const STRETCH = 1_000;

/** The newest changes first. `next` is where to go on; 0 when there is no more. */
export async function readAuditLog(
  store: ResourceStore,
  position: StorePosition,
  query: AuditQuery,
): Promise<{ records: AuditRecord[]; next: number }> {
  const records: AuditRecord[] = [];
  let to = query.before === 0 ? position.sequence : query.before - 1;
  while (to > 0) {
    const from = Math.max(1, to - STRETCH + 1);
    for (const entry of (await store.history(from, to)).toReversed()) {
      const record = wantedRecord(entry, query);
      if (record === undefined) continue;
      if (records.length === query.limit) return { records, next: records.at(-1)?.sequence ?? 0 };
      records.push(record);
    }
    to = from - 1;
  }
  return { records, next: 0 };
}

function wantedRecord(entry: StoreEntry, { kind, id }: AuditQuery): AuditRecord | undefined {
  const name = parseEntryName(entry.name);
  if (name === undefined || entry.value === undefined) return undefined;
  if ((kind !== '' && name.kind !== kind) || (id !== '' && name.id !== id)) return undefined;
  const change = decodeChange(name.kind, entry.value);
  return {
    sequence: entry.sequence,
    atMs: change.atMs,
    who: change.by,
    action: change.action,
    ...name,
    before: withoutDigest(change.before),
    after: withoutDigest(change.document),
  };
}

/** A digest opens nothing, but a log that people read and copy has no use for it. */
export function withoutDigest(document: DocumentOf<EntryKind> | null): object | null {
  if (document === null || !('sha256' in document)) return document;
  const { sha256: _sha256, ...rest } = document;
  return rest;
}
