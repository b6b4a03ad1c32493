/** Why the catalog does not do what it was asked. Messages are for operators and hold no secrets. */
export const CATALOG_ERROR_CODES = [
  'invalid',
  'not_found',
  'already_exists',
  /** The catalog's present state forbids it: a reference is missing, the resource is still in use, the store is full. */
  'forbidden_by_state',
  /** Somebody else changed the same entry meanwhile. */
  'conflict',
  /** Nothing can be said now: not loaded yet, lagging, or the store does not answer. */
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
