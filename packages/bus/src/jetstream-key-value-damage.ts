import type { JetStreamManager } from '@nats-io/jetstream';
import type { DamagedRecords } from './key-value.ts';

/** More live messages than this are not looked at one by one. */
const MOST_LOOKED_AT = 20_000;

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
  manager: JetStreamManager,
  { streamName, subjects, received, keyOf }: DamageQuery,
): Promise<DamagedRecords> {
  const { state } = await manager.streams.info(streamName, {
    subjects_filter: subjects,
    deleted_details: true,
  });
  const keys: string[] = [];
  let behind = 0;
  for (const subject of Object.keys(state.subjects ?? {})) {
    if (received.has(subject)) continue;
    const last = await manager.streams.getMessage(streamName, { last_by_subj: subject });
    if (last === null) keys.push(keyOf(subject));
    else behind += 1;
  }
  // It is there, so it will be delivered yet.
  if (keys.length === 0 || behind > 0) return { keys: [], revisions: [] };
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

/** The client's type says that the list is always there; the server leaves it out when it is empty. */
function listed(sequences: readonly number[] | undefined): readonly number[] {
  return sequences ?? [];
}
