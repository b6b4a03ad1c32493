import type { JetStreamManager, StreamState } from '@nats-io/jetstream';
import type { DamagedRecords } from './key-value.ts';

/** If more messages than this are stored, they are not checked one by one. */
const MAX_CHECKED_MESSAGES = 20_000;

interface StreamReader {
  readonly streams: Pick<JetStreamManager['streams'], 'info' | 'getMessage'>;
}

interface DamageQuery {
  readonly streamName: string;
  readonly subjects: string;
  /** The sequence of the last message of each subject, as far as the server delivered them. */
  readonly received: ReadonlyMap<string, number>;
  readonly keyOf: (subject: string) => string;
}

/**
 * The server counts a message whose checksum does not match, but neither delivers nor names it. So a key is damaged if
 * the stream lists its subject but has no readable message for it.
 */
export async function findDamaged(
  manager: StreamReader,
  query: DamageQuery,
): Promise<DamagedRecords> {
  const { streamName, received, keyOf } = query;
  const suspected = await listUnreadable(manager, query);
  if (suspected.unreadable.length === 0) return { keys: [], revisions: [] };
  // If a key is purged after the subjects were listed and before its message is read, it looks damaged. The second list
  // no longer contains it.
  const { state, unreadable } = await listUnreadable(manager, query);
  const keys = unreadable.filter((subject) => suspected.unreadable.includes(subject)).map(keyOf);
  if (keys.length === 0) return { keys: [], revisions: [] };
  const accountedFor = new Set(received.values());
  for (const sequence of listOrEmpty(state.deleted)) accountedFor.add(sequence);
  const revisions: number[] = [];
  if (state.messages > MAX_CHECKED_MESSAGES) return { keys, revisions };
  for (let sequence = state.first_seq; sequence <= state.last_seq; sequence += 1) {
    if (accountedFor.has(sequence)) continue;
    const message = await manager.streams.getMessage(streamName, { seq: sequence });
    if (message === null) revisions.push(sequence);
  }
  return { keys, revisions };
}

/**
 * The listed subjects without a readable message. Empty while a readable message of a listed subject is still to be
 * delivered.
 */
async function listUnreadable(
  manager: StreamReader,
  { streamName, subjects, received }: DamageQuery,
): Promise<{ readonly state: StreamState; readonly unreadable: readonly string[] }> {
  const { state } = await manager.streams.info(streamName, {
    subjects_filter: subjects,
    deleted_details: true,
  });
  const unreadable: string[] = [];
  let undelivered = 0;
  for (const subject of Object.keys(state.subjects ?? {})) {
    if (received.has(subject)) continue;
    const last = await manager.streams.getMessage(streamName, { last_by_subj: subject });
    if (last === null) unreadable.push(subject);
    else undelivered += 1;
  }
  return { state, unreadable: undelivered > 0 ? [] : unreadable };
}

/** The client's type declares a list, but the server leaves out an empty one. */
function listOrEmpty(sequences: readonly number[] | undefined): readonly number[] {
  return sequences ?? [];
}
