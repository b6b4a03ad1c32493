import { RpcError, type RpcErrorCode } from '@sluice/rpc';
import { CatalogError, type CatalogErrorCode } from '../domain/catalog-error.ts';

const CODES: Readonly<Record<CatalogErrorCode, RpcErrorCode>> = {
  invalid: 'invalid_argument',
  not_found: 'not_found',
  already_exists: 'already_exists',
  forbidden_by_state: 'failed_precondition',
  conflict: 'conflict',
  unavailable: 'unavailable',
};

/** A handler whose domain errors travel as statuses; anything else is the server's own fault. */
export function answering<Arguments extends unknown[], Reply>(
  handle: (...parameters: Arguments) => Promise<Reply>,
): (...parameters: Arguments) => Promise<Reply> {
  return async (...parameters) => {
    try {
      return await handle(...parameters);
    } catch (error) {
      if (error instanceof CatalogError) {
        throw new RpcError(CODES[error.code], error.message, { cause: error });
      }
      throw error;
    }
  };
}
