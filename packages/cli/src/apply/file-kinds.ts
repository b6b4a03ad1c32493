import { RESOURCE_KINDS, type ResourceKind } from '@sluice/contracts';

/** What a file may hold: everything but keys, which are never written down. */
export type FileKind = Exclude<ResourceKind, 'api_keys'>;

/** In the order in which they may be written: what is referred to comes first. */
export const FILE_KINDS: readonly FileKind[] = RESOURCE_KINDS.filter(
  (kind): kind is FileKind => kind !== 'api_keys',
);
