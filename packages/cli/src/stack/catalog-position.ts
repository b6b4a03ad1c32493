import { readFile, writeFile } from 'node:fs/promises';
import type { CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';
import { errorCode } from '../error-code.ts';
import { damagedFolder, unwritableFolder, type StateFolder } from './state-folder.ts';

const Position = z.object({ epoch: z.int(), sequence: z.int() });
type Position = z.infer<typeof Position>;

/**
 * NATS drops a damaged part of its store and goes on, so that accounts and keys would vanish without a
 * word. The store's history only ever grows: one that is shorter than it was, or another, has lost some.
 */
export async function checkCatalogPosition(
  admin: CatalogAdminClient,
  folder: StateFolder,
): Promise<void> {
  const known = await readPosition(folder);
  if (known === undefined) return;
  const { epoch, sequence } = await currentPosition(admin);
  if (epoch !== known.epoch || sequence < known.sequence) {
    throw damagedFolder(folder.path, 'NATS has lost a part of what it kept there');
  }
}

export async function recordCatalogPosition(
  admin: CatalogAdminClient,
  { path, catalogPositionFile }: StateFolder,
): Promise<void> {
  const position = await currentPosition(admin);
  try {
    await writeFile(catalogPositionFile, `${JSON.stringify(position)}\n`);
  } catch (error) {
    throw unwritableFolder(path, error);
  }
}

/** How far the catalog's store has come, and which store it is. */
export async function currentPosition(admin: CatalogAdminClient): Promise<Position> {
  const { position } = await admin.listResources({ kind: 'plans', limit: 1 });
  if (position === null) throw new Error('the catalog does not say how far its store has come');
  return { epoch: position.epoch, sequence: position.sequence };
}

async function readPosition(folder: StateFolder): Promise<Position | undefined> {
  try {
    return Position.parse(JSON.parse(await readFile(folder.catalogPositionFile, 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw damagedFolder(folder.path, 'its catalog.json cannot be read');
  }
}
