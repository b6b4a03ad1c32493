import { RESOURCE_KINDS, type ResourceKind } from '@sluice/contracts';
import { UsageError } from '../command.ts';

/** Reads a kind in any common spelling: `plans`, `plan`, `keys`, `api-key`. */
export function readKind(text: string): ResourceKind {
  const plural = `${text.replaceAll('-', '_').replace(/s$/, '')}s`;
  const name = plural === 'keys' ? 'api_keys' : plural;
  const kind = RESOURCE_KINDS.find((candidate) => candidate === name);
  if (kind !== undefined) return kind;
  throw new UsageError(`there is no kind '${text}'; kinds: ${RESOURCE_KINDS.join(', ')}`);
}
