import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../command-line.ts';
import { ProgramFailure, startProgram } from '../programs/child-program.ts';
import { ROOT } from '../programs/repository.ts';

const run = promisify(execFile);

/** The files of a commit in a folder of their own, with the packages that its lockfile names. */
export interface OldVersion extends AsyncDisposable {
  readonly folder: string;
  /** Its short hash and subject. */
  readonly title: string;
}

/** The commit is copied, not checked out as a worktree: a run that is killed leaves nothing in the repository. */
export async function copyOldVersion(revision: string): Promise<OldVersion> {
  const { commit, title } = await findCommit(revision);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-old-version-'));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const archive = join(folder, 'files.tar');
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: ROOT });
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
    const { stdout } = await run('git', parameters, { cwd: ROOT });
    const [commit = '', title = ''] = stdout.trim().split('\n');
    return { commit, title };
  } catch (error) {
    throw new UsageError(`git knows no commit '${revision}'`, { cause: error });
  }
}

/** Node and pnpm are those of this run, which are on the PATH already; pnpm takes most packages from its store. */
async function installPackages(folder: string): Promise<void> {
  const installed = 'installed';
  try {
    await using program = await startProgram({
      name: 'bootstrap of the old version',
      program: 'sh',
      parameters: [join(folder, 'deploy/bootstrap.sh'), 'echo', installed],
      folder,
    });
    await program.firstLine;
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
