import { RESOURCE_KINDS, type ResourceKind } from '@sluice/contracts';

/** The kinds that a file may contain: every kind except API keys, which are never written to a file. */
export type FileKind = Exclude<ResourceKind, 'api_keys'>;

/** The kinds in the order in which they are written. A resource comes after the resources that it refers to. */
export const FILE_KINDS: readonly FileKind[] = RESOURCE_KINDS.filter(
  (kind): kind is FileKind => kind !== 'api_keys',
);
