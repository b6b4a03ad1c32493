import {
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  jetstreamManager,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { LedgerStreamOptions } from './ledger.ts';
import { isMissingStream, requireCluster } from './stream-errors.ts';

const DUPLICATE_WINDOW_MS = 120_000;

/** Creates the stream if it is missing. */
export async function ensureLedgerStream(
  connection: NatsConnection,
  options: LedgerStreamOptions,
): Promise<StreamInfo> {
  const manager = await jetstreamManager(connection);
  const { stream, maxAgeMs } = options;
  return findOrCreate(manager, stream, async () =>
    manager.streams.add({
      name: stream,
      description: 'The outcome of each request and attempt',
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      compression: StoreCompression.S2,
      duplicate_window: nanos(Math.min(DUPLICATE_WINDOW_MS, maxAgeMs)),
      ...boundsOf(options),
    }),
  );
}

/**
 * Sets the subjects and limits of an existing stream to those of the options. Limits on the number of messages are
 * removed: a ledger has none, and they could make the stream drop records too early.
 */
export async function boundLedgerStream(
  connection: NatsConnection,
  found: StreamInfo,
  options: LedgerStreamOptions,
): Promise<void> {
  const wanted = boundsOf(options);
  const { config } = found;
  const same =
    config.num_replicas === wanted.num_replicas &&
    config.max_age === wanted.max_age &&
    config.max_bytes === wanted.max_bytes &&
    config.max_msgs === wanted.max_msgs &&
    config.max_msgs_per_subject === wanted.max_msgs_per_subject &&
    config.subjects.join() === wanted.subjects.join();
  if (same) return;
  requireCluster(found, options.replicas);
  const manager = await jetstreamManager(connection);
  await manager.streams.update(options.stream, wanted);
}

function boundsOf({ subjects, replicas, maxAgeMs, maxBytes }: LedgerStreamOptions) {
  return {
    subjects: [subjects],
    num_replicas: replicas,
    max_age: nanos(maxAgeMs),
    max_bytes: maxBytes,
    max_msgs: -1,
    max_msgs_per_subject: -1,
  };
}

async function findOrCreate(
  manager: JetStreamManager,
  stream: string,
  create: () => Promise<StreamInfo>,
): Promise<StreamInfo> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (!isMissingStream(error)) throw error;
  }
  try {
    return await create();
  } catch (error) {
    // The server refused. If another replica has created the stream meanwhile, that stream is used.
    if (!(error instanceof JetStreamApiError)) throw error;
    return manager.streams.info(stream).catch(() => {
      throw error;
    });
  }
}
