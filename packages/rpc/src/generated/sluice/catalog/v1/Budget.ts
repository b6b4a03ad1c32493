// Original file: proto/catalog/v1/console.proto


export interface BudgetInput {
  /**
   * A decimal amount a month. Absent: none.
   */
  'monthly'?: (string);
  /**
   * Percent of `monthly`.
   */
  'thresholds'?: (number)[];
  /**
   * Whether requests are refused when it is spent.
   */
  'hard'?: (boolean);
  '_monthly'?: "monthly";
}

export interface Budget {
  /**
   * A decimal amount a month. Absent: none.
   */
  'monthly'?: (string);
  /**
   * Percent of `monthly`.
   */
  'thresholds': (number)[];
  /**
   * Whether requests are refused when it is spent.
   */
  'hard': (boolean);
  '_monthly'?: "monthly";
}
