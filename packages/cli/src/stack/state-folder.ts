import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { UsageError } from '../command.ts';
import { errorCode } from '../error-code.ts';

const MARKER = 'sluice.json';
const VERSION = 1;
const Marker = z.object({ version: z.int().min(1) });

/** The folder with the data that outlives a stack. */
export interface StateFolder {
  readonly path: string;
  readonly redis: string;
  readonly nats: string;
  /** The tables of usage. */
  readonly usage: string;
  readonly logs: string;
  readonly lockFile: string;
  readonly runningFile: string;
  readonly adminTokenFile: string;
  /** The API key of the demo, for its owner only. */
  readonly demoKeyFile: string;
  /** The keys of the console. */
  readonly consoleKeysFile: string;
  /** The last known position of the catalog store. */
  readonly catalogPositionFile: string;
  /** The models that starts from this folder created. */
  readonly seededModelsFile: string;
}

export function stateFolderAt(path: string): StateFolder {
  return {
    path,
    redis: join(path, 'redis'),
    nats: join(path, 'nats'),
    usage: join(path, 'usage'),
    logs: join(path, 'logs'),
    lockFile: join(path, 'up.lock'),
    runningFile: join(path, 'running.json'),
    adminTokenFile: join(path, 'admin-token'),
    demoKeyFile: join(path, 'demo-key.json'),
    consoleKeysFile: join(path, 'console-keys.json'),
    catalogPositionFile: join(path, 'catalog.json'),
    seededModelsFile: join(path, 'seeded-models.json'),
  };
}

/**
 * Creates the folder if it is missing. Refuses a folder of another program, and a damaged one unless `fresh` is set.
 */
export async function checkStateFolder(path: string, { fresh }: { fresh: boolean }): Promise<void> {
  const names = await namesIn(path);
  if (names === undefined || names.length === 0) await writeMarker(path);
  else if (!names.includes(MARKER)) throw strangeFolder(path);
  else if (!fresh) await checkMarker(path);
}

/** Deletes everything in the folder except its lock and its logs. */
export async function emptyStateFolder(path: string): Promise<void> {
  const { lockFile, logs } = stateFolderAt(path);
  for (const name of (await namesIn(path)) ?? []) {
    const entry = join(path, name);
    if (entry !== lockFile && entry !== logs) await rm(entry, { recursive: true, force: true });
  }
  await writeMarker(path);
}

async function namesIn(path: string): Promise<string[] | undefined> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new UsageError(`the state folder ${path} is a file`);
    throw new UsageError(`the state folder ${path} cannot be read (${code})`);
  }
}

async function writeMarker(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await writeFile(join(path, MARKER), `${JSON.stringify({ version: VERSION })}\n`);
  } catch (error) {
    throw unwritableFolder(path, error);
  }
}

async function checkMarker(path: string): Promise<void> {
  let marker: z.infer<typeof Marker>;
  try {
    marker = Marker.parse(JSON.parse(await readFile(join(path, MARKER), 'utf8')));
  } catch {
    throw damagedFolder(path, `its ${MARKER} cannot be read`);
  }
  if (marker.version > VERSION) {
    throw new UsageError(`the state folder ${path} was written by a newer version of sluice`);
  }
}

export function damagedFolder(path: string, how: string): UsageError {
  return new UsageError(
    `the state folder ${path} is damaged: ${how}; start with --fresh to delete its data and start again`,
  );
}

export function unwritableFolder(path: string, error: unknown): UsageError {
  return new UsageError(`the state folder ${path} cannot be written (${errorCode(error)})`);
}

/**
 * The error for an unusable part of the folder. If a file is found instead of a folder, or a folder instead of a file,
 * the state folder is damaged.
 */
export function unusablePart(path: string, part: string, error: unknown): UsageError {
  const wrongKind = ['EEXIST', 'EISDIR', 'ENOTDIR', 'ERR_FS_EISDIR', 'ENOTEMPTY'];
  if (!wrongKind.includes(errorCode(error))) return unwritableFolder(path, error);
  return damagedFolder(path, `its ${relative(path, part)} is not what it should be`);
}

function strangeFolder(path: string): UsageError {
  return new UsageError(
    `${path} is not a state folder of sluice, because it contains other files; name another with --state`,
  );
}
