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
import type { Logger } from '@sluice/telemetry';
import type { LedgerOptions } from './ledger.ts';
import { isMissingStream, requireCluster } from './stream-errors.ts';

const DUPLICATE_WINDOW_MS = 120_000;

/** Whoever comes first creates it; whoever comes later with other bounds changes them. */
export async function ensureLedgerStream(
  { connection, logger }: { readonly connection: NatsConnection; readonly logger: Logger },
  { stream, subjects, replicas, maxAgeMs, maxBytes }: LedgerOptions,
): Promise<void> {
  const manager = await jetstreamManager(connection);
  const wanted = {
    num_replicas: replicas,
    max_age: nanos(maxAgeMs),
    max_bytes: maxBytes,
  };
  const found = await findOrCreate(manager, stream, async () =>
    manager.streams.add({
      name: stream,
      subjects: [subjects],
      description: 'What became of each request and attempt',
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      compression: StoreCompression.S2,
      duplicate_window: nanos(Math.min(DUPLICATE_WINDOW_MS, maxAgeMs)),
      ...wanted,
    }),
  );
  const { config } = found;
  const same =
    config.num_replicas === replicas &&
    config.max_age === wanted.max_age &&
    config.max_bytes === maxBytes;
  if (same) return;
  try {
    requireCluster(found, replicas);
    await manager.streams.update(stream, wanted);
  } catch (error) {
    // It is kept under its old bounds: no reason to lose records.
    logger.warn({ err: error, stream }, 'the bounds of the ledger could not be changed');
  }
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
    // Somebody else was first, with bounds of their own.
    if (!(error instanceof JetStreamApiError)) throw error;
    return manager.streams.info(stream).catch(() => {
      throw error;
    });
  }
}
