import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ProcessIdentity, identify, isAlive } from '@sluice/servers';
import { UsageError } from '../command.ts';
import { errorCode } from '../error-code.ts';

/** Locks a state folder for one stack. A lock whose process has ended is replaced. */
export async function lockFolder(lockFile: string): Promise<AsyncDisposable> {
  const me = identify(process.pid);
  if (me === undefined) throw new Error('this process cannot be identified');
  const mine = `${lockFile}.${me.pid}`;
  await writeFile(mine, JSON.stringify(me), { mode: 0o600 });
  try {
    // `link` is atomic and fails with EEXIST if the name exists (link(2)).
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

/**
 * Removes the lock of a process that has ended. The lock is renamed and checked again before it is deleted, because
 * another process may have replaced it since the first check. In that case it is put back.
 */
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
