/** Why the catalog refuses a call. Messages are for operators and contain no secrets. */
export const CATALOG_ERROR_CODES = [
  'invalid',
  'not_found',
  'already_exists',
  /** The current state forbids it: a reference is missing, the resource is still in use, or the store is full. */
  'forbidden_by_state',
  /** The entry was changed since the caller read it. */
  'conflict',
  /** Temporary: the replica is not loaded yet or lags behind, or the store does not answer. */
  'unavailable',
] as const;

export type CatalogErrorCode = (typeof CATALOG_ERROR_CODES)[number];

export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly code: CatalogErrorCode;

  constructor(code: CatalogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
