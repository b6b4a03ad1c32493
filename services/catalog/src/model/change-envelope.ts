import { readKnownFields } from '@sluice/contracts';
import * as z from 'zod';
import { EntrySchemas, type DocumentOf, type EntryKind } from './entry-kinds.ts';

export const CHANGE_ACTIONS = ['create', 'update', 'revoke', 'delete'] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/**
 * What an entry of the store holds: the resource, and who changed it, when and from what. So the store's own
 * history is the audit log, and no change can miss it. A deletion is an envelope without a document, because the
 * store's own deletion marker could not name who did it.
 */
const ChangeEnvelope = z.object({
  /** Unique to one attempt to change something: by it a writer whose acknowledgement was lost knows its own change. */
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

/** What the store holds cannot be understood: damage, or the work of a much newer version. */
export class UnreadableEntryError extends Error {
  override readonly name = 'UnreadableEntryError';
}

export function encodeChange(change: Change<EntryKind>): Uint8Array {
  const { atMs, ...rest } = change;
  return Buffer.from(JSON.stringify({ ...rest, at_ms: atMs }));
}

/** The envelope alone, its documents as they are; undefined when it is none. */
export function readEnvelope(value: Uint8Array): z.infer<typeof ChangeEnvelope> | undefined {
  try {
    return ChangeEnvelope.safeParse(JSON.parse(UTF8.decode(value))).data;
  } catch {
    // Not text, or not JSON: not written by a catalog.
    return undefined;
  }
}

/** The resource that an entry holds; null when it was deleted. */
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
 * Fields of newer versions are dropped, so that replicas of two versions can run side by side; operators' input is
 * held to the strict schema.
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
