// Original file: proto/catalog/v1/budgets.proto


export interface BudgetStopInput {
  /**
   * The month in UTC, such as 2027-01.
   */
  'month'?: (string);
  /**
   * The budget of the decision, and what was spent at its time. Decimal numbers.
   */
  'monthly'?: (string);
  'spent'?: (string);
}

export interface BudgetStop {
  /**
   * The month in UTC, such as 2027-01.
   */
  'month': (string);
  /**
   * The budget of the decision, and what was spent at its time. Decimal numbers.
   */
  'monthly': (string);
  'spent': (string);
}
