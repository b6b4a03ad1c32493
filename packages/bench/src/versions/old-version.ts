import { UnknownCommit, copyVersion, type VersionCopy } from '@sluice/devkit/versions';
import { StartFailure } from '@sluice/servers';
import { UsageError } from '../command-line.ts';

export async function copyOldVersion(revision: string): Promise<VersionCopy> {
  try {
    return await copyVersion(revision);
  } catch (error) {
    if (!(error instanceof UnknownCommit) && !(error instanceof StartFailure)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
