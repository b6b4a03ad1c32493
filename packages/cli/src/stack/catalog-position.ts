import { readFile, writeFile } from 'node:fs/promises';
import { DEFAULT_CATALOG_BUCKET } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';
import { errorCode } from '../error-code.ts';
import { damagedFolder, unwritableFolder, type StateFolder } from './state-folder.ts';

const Position = z.object({ epoch: z.int(), sequence: z.int() });
type Position = z.infer<typeof Position>;

/** Of the bucket that was used last, as before others were thought of, and of those used before that one. */
const Positions = Position.extend({
  bucket: z.string().default(DEFAULT_CATALOG_BUCKET),
  others: z.record(z.string(), Position).default({}),
});

/** One bucket of the NATS that keeps its data in the folder. */
export interface KeptCatalog {
  readonly folder: StateFolder;
  readonly bucket: string;
}

/**
 * NATS drops a damaged part of its store and goes on, so that accounts and keys would vanish without a
 * word. The store's history only ever grows: one that is shorter than it was, or another, has lost some.
 */
export async function checkCatalogPosition(
  admin: CatalogAdminClient,
  { folder, bucket }: KeptCatalog,
): Promise<void> {
  const known = (await readPositions(folder)).get(bucket);
  if (known === undefined) return;
  const { epoch, sequence } = await currentPosition(admin);
  if (epoch !== known.epoch || sequence < known.sequence) {
    throw damagedFolder(folder.path, 'NATS has lost a part of what it kept there');
  }
}

export async function recordCatalogPosition(
  admin: CatalogAdminClient,
  { folder, bucket }: KeptCatalog,
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

/** How far the catalog's store has come, and which store it is. */
export async function currentPosition(admin: CatalogAdminClient): Promise<Position> {
  const { position } = await admin.listResources({ kind: 'plans', limit: 1 });
  if (position === null) throw new Error('the catalog does not say how far its store has come');
  return { epoch: position.epoch, sequence: position.sequence };
}

/** By bucket. */
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
