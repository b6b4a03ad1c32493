// Original file: proto/catalog/v1/budgets.proto

import type { BudgetStopInput as _sluice_catalog_v1_BudgetStopInput, BudgetStop as _sluice_catalog_v1_BudgetStop } from '../../../sluice/catalog/v1/BudgetStop.ts';

export interface SetBudgetStopRequestInput {
  'organization'?: (string);
  /**
   * Absent: lifts the stop.
   */
  'stop'?: (_sluice_catalog_v1_BudgetStopInput | null);
}

export interface SetBudgetStopRequest {
  'organization': (string);
  /**
   * Absent: lifts the stop.
   */
  'stop': (_sluice_catalog_v1_BudgetStop | null);
}
