import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startProgram } from '@sluice/servers';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');

/** The files of a commit in their own folder, with the packages of its lockfile. */
export interface VersionCopy extends AsyncDisposable {
  readonly folder: string;
  /** Short hash and subject of the commit. */
  readonly title: string;
}

export class UnknownCommit extends Error {
  override readonly name = 'UnknownCommit';
}

/** Copies the commit instead of creating a git worktree, so that a killed run leaves nothing in the repository. */
export async function copyVersion(revision: string): Promise<VersionCopy> {
  const { commit, title } = await findCommit(revision);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-old-version-'));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const archive = join(folder, 'files.tar');
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    await installPackages(folder);
    return { folder, title, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function findCommit(revision: string): Promise<{ commit: string; title: string }> {
  try {
    const parameters = ['log', '-1', '--format=%H%n%h %s', '--end-of-options', revision, '--'];
    const { stdout } = await run('git', parameters, { cwd: root });
    const [commit = '', title = ''] = stdout.trim().split('\n');
    return { commit, title };
  } catch (error) {
    throw new UnknownCommit(`git knows no commit '${revision}'`, { cause: error });
  }
}

/** Uses the Node and pnpm of this run. pnpm takes most packages from its store. */
async function installPackages(folder: string): Promise<void> {
  await using program = await startProgram({
    name: 'bootstrap of the old version',
    program: 'sh',
    parameters: [join(folder, 'deploy/bootstrap.sh'), 'echo', 'installed'],
    folder,
    environment: process.env,
    isReady: async ({ firstLine }) => (await firstLine) !== '',
    readyTimeoutMs: 120_000,
  });
  await program.firstLine;
}
