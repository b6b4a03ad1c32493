export { UnknownCommit, copyVersion, type VersionCopy } from './copy-version.ts';
export { previousRelease, readReleases, releaseMissing } from './releases.ts';
