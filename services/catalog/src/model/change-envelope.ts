import { readKnownFields } from '@sluice/contracts';
import * as z from 'zod';
import { EntrySchemas, type DocumentOf, type EntryKind } from './entry-kinds.ts';

export const CHANGE_ACTIONS = ['create', 'update', 'revoke', 'delete'] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/**
 * The value of an entry: the resource, its previous version, and the author and time of the change. The history of the
 * store is therefore the audit log, and every change is in it. A deletion is an envelope without a document, because
 * the tombstone of the store cannot name its author.
 */
const ChangeEnvelope = z.object({
  /** A unique id, by which a writer finds its own change after a lost acknowledgement. */
  change: z.string().min(1),
  action: z.enum(CHANGE_ACTIONS),
  by: z.string().min(1),
  at_ms: z.int().min(0),
  before: z.looseObject({}).nullable(),
  document: z.looseObject({}).nullable(),
});

export interface Change<Kind extends EntryKind> {
  readonly change: string;
  readonly action: ChangeAction;
  readonly by: string;
  readonly atMs: number;
  readonly before: DocumentOf<Kind> | null;
  readonly document: DocumentOf<Kind> | null;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A stored entry cannot be decoded: it is damaged, or was written by a much newer version. */
export class UnreadableEntryError extends Error {
  override readonly name = 'UnreadableEntryError';
}

export function encodeChange(change: Change<EntryKind>): Uint8Array {
  const { atMs, ...rest } = change;
  return Buffer.from(JSON.stringify({ ...rest, at_ms: atMs }));
}

/** Decodes the envelope without validating its documents. Undefined if the value is not an envelope. */
export function readEnvelope(value: Uint8Array): z.infer<typeof ChangeEnvelope> | undefined {
  try {
    return ChangeEnvelope.safeParse(JSON.parse(UTF8.decode(value))).data;
  } catch {
    // The value is not JSON in UTF-8, so no catalog has written it.
    return undefined;
  }
}

/** Decodes the resource of an entry; null if it was deleted. */
export function readResource<Kind extends EntryKind>(
  kind: Kind,
  value: Uint8Array,
): DocumentOf<Kind> | null {
  const envelope = readEnvelope(value);
  if (envelope === undefined) throw new UnreadableEntryError('the entry has no envelope');
  const { document } = envelope;
  return document === null ? null : readDocument(kind, document);
}

/**
 * Unknown fields are dropped, so that replicas of two versions can run together during an upgrade. Input of operators
 * is validated strictly instead.
 */
function readDocument<Kind extends EntryKind>(kind: Kind, stored: unknown): DocumentOf<Kind> {
  const schema: z.ZodType<DocumentOf<Kind>> = EntrySchemas[kind];
  try {
    return readKnownFields(schema, stored).document;
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new UnreadableEntryError(z.prettifyError(cause));
  }
}
