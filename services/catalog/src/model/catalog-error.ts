import type { ConsoleRefusal } from '@sluice/contracts';

/** Why the catalog refuses a call. Messages are for operators and contain no secrets. */
export const CATALOG_ERROR_CODES = [
  'invalid',
  'not_found',
  'already_exists',
  /** The current state forbids it: a reference is missing, the resource is still in use, or the store is full. */
  'forbidden_by_state',
  /** The entry was changed since the caller read it. */
  'conflict',
  /** The caller cannot be identified, or its session has ended. */
  'unauthenticated',
  /** The caller may not do this. */
  'forbidden',
  /** Temporary: the replica is not loaded yet or lags behind, or the store does not answer. */
  'unavailable',
] as const;

export type CatalogErrorCode = (typeof CATALOG_ERROR_CODES)[number];

export interface CatalogErrorOptions extends ErrorOptions {
  /** Why a call of the console is refused, for programs. */
  readonly reason?: ConsoleRefusal;
}

export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly code: CatalogErrorCode;

  readonly reason: ConsoleRefusal | undefined;

  constructor(code: CatalogErrorCode, message: string, options?: CatalogErrorOptions) {
    super(message, options);
    this.code = code;
    this.reason = options?.reason;
  }
}
