import { readFile, writeFile } from 'node:fs/promises';
import { DEFAULT_CATALOG_BUCKET } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';
import { errorCode } from '../error-code.ts';
import { damagedFolder, unwritableFolder, type StateFolder } from './state-folder.ts';

const Position = z.object({ epoch: z.int(), sequence: z.int() });
type Position = z.infer<typeof Position>;

/**
 * The position of the bucket that was used last, and the positions of buckets used before it. `bucket` and `others`
 * have defaults for files written before several buckets were supported.
 */
const Positions = Position.extend({
  bucket: z.string().default(DEFAULT_CATALOG_BUCKET),
  others: z.record(z.string(), Position).default({}),
});

/** A catalog bucket in the NATS that keeps its data in the state folder. */
export interface LocalCatalog {
  readonly folder: StateFolder;
  readonly bucket: string;
}

/**
 * Fails if NATS has lost catalog data. NATS skips a damaged part of its store without an error
 * (tests/damaged-state.e2e.test.ts), so accounts and keys would silently be missing. The sequence of a store only grows.
 * A lower sequence or another epoch than the recorded one means that data is lost.
 */
export async function checkCatalogPosition(
  admin: CatalogAdminClient,
  { folder, bucket }: LocalCatalog,
): Promise<void> {
  const known = (await readPositions(folder)).get(bucket);
  if (known === undefined) return;
  const { epoch, sequence } = await currentPosition(admin);
  if (epoch !== known.epoch || sequence < known.sequence) {
    throw damagedFolder(folder.path, 'NATS has lost a part of its data there');
  }
}

export async function recordCatalogPosition(
  admin: CatalogAdminClient,
  { folder, bucket }: LocalCatalog,
): Promise<void> {
  const others = await readPositions(folder);
  others.delete(bucket);
  const position = await currentPosition(admin);
  const written = { ...position, bucket, others: Object.fromEntries(others) };
  try {
    await writeFile(folder.catalogPositionFile, `${JSON.stringify(written)}\n`);
  } catch (error) {
    throw unwritableFolder(folder.path, error);
  }
}

/** The epoch of the catalog store and the sequence of its last change. */
export async function currentPosition(admin: CatalogAdminClient): Promise<Position> {
  const { position } = await admin.listResources({ kind: 'plans', limit: 1 });
  if (position === null) throw new Error('the catalog does not report the position of its store');
  return { epoch: position.epoch, sequence: position.sequence };
}

/** The recorded positions by bucket. */
async function readPositions(folder: StateFolder): Promise<Map<string, Position>> {
  try {
    const { bucket, others, ...last } = Positions.parse(
      JSON.parse(await readFile(folder.catalogPositionFile, 'utf8')),
    );
    return new Map([...Object.entries(others), [bucket, last]]);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    throw damagedFolder(folder.path, 'its catalog.json cannot be read');
  }
}
