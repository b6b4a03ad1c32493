import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../command.ts';
import { errorCode } from '../error-code.ts';
import { ProcessIdentity, identify, isAlive } from './process-identity.ts';

/** One stack a state folder. The lock of a process that has ended is taken over. */
export async function lockFolder(lockFile: string): Promise<AsyncDisposable> {
  const me = identify(process.pid);
  if (me === undefined) throw new Error('this process cannot be identified');
  const mine = `${lockFile}.${me.pid}`;
  await writeFile(mine, JSON.stringify(me), { mode: 0o600 });
  try {
    // Linking is atomic and fails when the name is taken.
    while (!(await linked(mine, lockFile))) {
      const owner = await ownerOf(lockFile);
      if (owner !== undefined && isAlive(owner)) {
        throw new UsageError(
          `a stack is already running from ${dirname(lockFile)} (process ${owner.pid}); stop it, or name another folder with --state`,
        );
      }
      await removeStale(lockFile, `${mine}.stale`);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return { [Symbol.asyncDispose]: async () => rm(lockFile, { force: true }) };
}

async function linked(mine: string, lockFile: string): Promise<boolean> {
  try {
    await link(mine, lockFile);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function ownerOf(lockFile: string): Promise<ProcessIdentity | undefined> {
  try {
    return ProcessIdentity.parse(JSON.parse(await readFile(lockFile, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Moved aside first and looked at again: between judging and removing, another may have taken it over. */
async function removeStale(lockFile: string, aside: string): Promise<void> {
  try {
    await rename(lockFile, aside);
  } catch {
    return;
  }
  const owner = await ownerOf(aside);
  if (owner !== undefined && isAlive(owner)) await linked(aside, lockFile);
  await rm(aside, { force: true });
}
