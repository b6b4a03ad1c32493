import type { JetStreamManager, StreamState } from '@nats-io/jetstream';
import type { DamagedRecords } from './key-value.ts';

/** More live messages than this are not looked at one by one. */
const MOST_LOOKED_AT = 20_000;

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
 * A message whose checksum does not match is counted by the server, and neither delivered nor named: what is in the
 * stream's list of subjects and cannot be had is damaged.
 */
export async function findDamaged(
  manager: StreamReader,
  query: DamageQuery,
): Promise<DamagedRecords> {
  const { streamName, received, keyOf } = query;
  const suspected = await lookForUnread(manager, query);
  if (suspected.unread.length === 0) return { keys: [], revisions: [] };
  // A key that is purged between the list and the question for it looks damaged once, and is not listed again.
  const { state, unread } = await lookForUnread(manager, query);
  const keys = unread.filter((subject) => suspected.unread.includes(subject)).map(keyOf);
  if (keys.length === 0) return { keys: [], revisions: [] };
  const gone = new Set(received.values());
  for (const sequence of listed(state.deleted)) gone.add(sequence);
  const revisions: number[] = [];
  if (state.messages > MOST_LOOKED_AT) return { keys, revisions };
  for (let sequence = state.first_seq; sequence <= state.last_seq; sequence += 1) {
    if (gone.has(sequence)) continue;
    const message = await manager.streams.getMessage(streamName, { seq: sequence });
    if (message === null) revisions.push(sequence);
  }
  return { keys, revisions };
}

/** Subjects that are listed and of which no message can be had; none while a listed message is still to be delivered. */
async function lookForUnread(
  manager: StreamReader,
  { streamName, subjects, received }: DamageQuery,
): Promise<{ readonly state: StreamState; readonly unread: readonly string[] }> {
  const { state } = await manager.streams.info(streamName, {
    subjects_filter: subjects,
    deleted_details: true,
  });
  const unread: string[] = [];
  let behind = 0;
  for (const subject of Object.keys(state.subjects ?? {})) {
    if (received.has(subject)) continue;
    const last = await manager.streams.getMessage(streamName, { last_by_subj: subject });
    if (last === null) unread.push(subject);
    else behind += 1;
  }
  return { state, unread: behind > 0 ? [] : unread };
}

/** The client's type says that the list is always there; the server leaves it out when it is empty. */
function listed(sequences: readonly number[] | undefined): readonly number[] {
  return sequences ?? [];
}
