import { readFile, rename, writeFile } from 'node:fs/promises';
import { apiKeyDigest } from '@sluice/contracts';
import type { CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';
import { findResource, listResources } from '../catalog/resources.ts';
import { DEMO } from './demo-catalog.ts';
import { unusablePart, type StateFolder } from './state-folder.ts';

const KEY_NAME = 'sluice up';
/** A start that cannot use the kept key creates another one. This many of the newest keys stay valid for scripts. */
const KEPT_KEYS = 5;

const KeptKey = z.object({ id: z.string(), key: z.string() });
type KeptKey = z.infer<typeof KeptKey>;

/**
 * The API key of the demo. The first start creates it, and later starts use it again, so that a client with the key keeps
 * working. It is the only API key that is ever written to a disk. Only its owner can read the file, and the stack listens
 * on loopback only.
 */
export async function demoKey(admin: CatalogAdminClient, folder: StateFolder): Promise<string> {
  const kept = await readKept(folder);
  if (kept !== undefined && (await works(admin, kept))) return kept.key;
  const { id, key } = await admin.createApiKey({ project: DEMO, name: KEY_NAME, creator: DEMO });
  const demoKeys = (await listResources(admin, 'api_keys', { project: DEMO }))
    .filter(({ document }) => document.name === KEY_NAME)
    .toSorted((one, other) => other.document.created_at_ms - one.document.created_at_ms);
  for (const { id: old } of demoKeys.slice(KEPT_KEYS)) {
    await admin.deleteResource({ kind: 'api_keys', id: old });
  }
  await keep(folder, { id, key });
  return key;
}

/** Undefined if there is no file, or if it was changed: then another key is created. */
async function readKept({ demoKeyFile }: StateFolder): Promise<KeptKey | undefined> {
  try {
    return KeptKey.parse(JSON.parse(await readFile(demoKeyFile, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Whether the key is valid in this catalog. It may be revoked, or an external NATS may hold another catalog now. */
async function works(admin: CatalogAdminClient, { id, key }: KeptKey): Promise<boolean> {
  const found = await findResource(admin, 'api_keys', id);
  if (found === undefined) return false;
  const { sha256, revoked_at_ms, expires_at_ms } = found.document;
  const isLimited = revoked_at_ms !== null || expires_at_ms !== null;
  return !isLimited && sha256 === apiKeyDigest(key).toString('hex');
}

/** Writes a new file and renames it, because the mode of an existing file would stay. */
async function keep({ path, demoKeyFile }: StateFolder, kept: KeptKey): Promise<void> {
  try {
    await writeFile(`${demoKeyFile}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
    await rename(`${demoKeyFile}.new`, demoKeyFile);
  } catch (error) {
    throw unusablePart(path, demoKeyFile, error);
  }
}
