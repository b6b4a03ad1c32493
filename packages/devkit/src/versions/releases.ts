import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../../..');

const Release = z.object({
  version: z.string(),
  /** The hash of a commit is not known before the commit exists, so a later commit adds the release to the file. */
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** The version of the protocol between gateways and workers. */
  contract: z.int(),
});
export type Release = z.infer<typeof Release>;

/** Oldest first. */
export function readReleases(): Release[] {
  const text = readFileSync(join(root, 'releases.json'), 'utf8');
  return z.object({ releases: z.array(Release) }).parse(JSON.parse(text)).releases;
}

/** The newest release that is not the version of the working tree. */
export function previousRelease(): Release {
  const previous = readReleases().findLast(({ version }) => version !== packageJson.version);
  if (previous === undefined) throw new Error('releases.json has no release before this version');
  return previous;
}

/** The reason why a release cannot be checked out here. */
export function releaseMissing({ version, commit }: Release): string | undefined {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return undefined;
  } catch {
    return `git has no commit of version ${version}: a shallow clone, or no clone`;
  }
}
