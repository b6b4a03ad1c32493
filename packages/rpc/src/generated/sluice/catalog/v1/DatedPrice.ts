// Original file: proto/catalog/v1/budgets.proto


/**
 * Decimal numbers per million tokens.
 */
export interface DatedPriceInput {
  /**
   * The first day on which the price is valid, in UTC, such as 2027-01-31. Empty: there is no first day.
   */
  'from'?: (string);
  'input'?: (string);
  /**
   * Empty: the price of input.
   */
  'cachedInput'?: (string);
  'output'?: (string);
}

/**
 * Decimal numbers per million tokens.
 */
export interface DatedPrice {
  /**
   * The first day on which the price is valid, in UTC, such as 2027-01-31. Empty: there is no first day.
   */
  'from': (string);
  'input': (string);
  /**
   * Empty: the price of input.
   */
  'cachedInput': (string);
  'output': (string);
}
