// Original file: proto/catalog/v1/budgets.proto


/**
 * Decimal numbers per million tokens.
 */
export interface DatedPriceInput {
  /**
   * The first day of UTC, such as 2027-01-31. Empty: always.
   */
  'from'?: (string);
  'input'?: (string);
  /**
   * Empty: as input.
   */
  'cachedInput'?: (string);
  'output'?: (string);
}

/**
 * Decimal numbers per million tokens.
 */
export interface DatedPrice {
  /**
   * The first day of UTC, such as 2027-01-31. Empty: always.
   */
  'from': (string);
  'input': (string);
  /**
   * Empty: as input.
   */
  'cachedInput': (string);
  'output': (string);
}
