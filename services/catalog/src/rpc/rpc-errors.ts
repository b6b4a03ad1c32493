import { RpcError, type RpcErrorCode } from '@sluice/rpc';
import { CatalogError, type CatalogErrorCode } from '../model/catalog-error.ts';

const CODES: Readonly<Record<CatalogErrorCode, RpcErrorCode>> = {
  invalid: 'invalid_argument',
  not_found: 'not_found',
  already_exists: 'already_exists',
  forbidden_by_state: 'failed_precondition',
  conflict: 'conflict',
  unauthenticated: 'unauthenticated',
  forbidden: 'permission_denied',
  unavailable: 'unavailable',
};

/** Wraps a handler to map each CatalogError to a gRPC status. Other errors are bugs and are not mapped. */
export function mapCatalogErrors<Arguments extends unknown[], Reply>(
  handle: (...parameters: Arguments) => Promise<Reply>,
): (...parameters: Arguments) => Promise<Reply> {
  return async (...parameters) => {
    try {
      return await handle(...parameters);
    } catch (error) {
      if (error instanceof CatalogError) {
        const { message, reason } = error;
        throw new RpcError(CODES[error.code], message, { cause: error, reason });
      }
      throw error;
    }
  };
}
