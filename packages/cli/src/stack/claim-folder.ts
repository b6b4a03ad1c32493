import { mkdir } from 'node:fs/promises';
import { UsageError } from '../command.ts';
import { lockFolder } from './folder-lock.ts';
import { stopLeftovers } from './leftovers.ts';
import {
  checkStateFolder,
  emptyStateFolder,
  stateFolderAt,
  unusablePart,
  type StateFolder,
} from './state-folder.ts';

export interface ClaimedFolder extends AsyncDisposable {
  readonly folder: StateFolder;
}

/** Prepares and locks the folder for one stack, and ends processes that an earlier stack left running. */
export async function claimFolder(
  path: string,
  { fresh }: { fresh: boolean },
): Promise<ClaimedFolder> {
  const folder = stateFolderAt(path);
  await checkStateFolder(path, { fresh });
  const lock = await lockWritable(folder);
  try {
    await inPart(folder, folder.runningFile, async () => stopLeftovers(folder.runningFile));
    if (fresh) await emptyStateFolder(path);
    for (const part of [folder.redis, folder.nats, folder.logs]) {
      await inPart(folder, part, async () => mkdir(part, { recursive: true, mode: 0o700 }));
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return { folder, [Symbol.asyncDispose]: async () => lock[Symbol.asyncDispose]() };
}

/** Runs `work` on a part of the folder. If it fails, the error names the part. */
async function inPart(
  { path }: StateFolder,
  part: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw unusablePart(path, part, error);
  }
}

async function lockWritable({ path, lockFile }: StateFolder): Promise<AsyncDisposable> {
  try {
    return await lockFolder(lockFile);
  } catch (error) {
    throw error instanceof UsageError ? error : unusablePart(path, lockFile, error);
  }
}
