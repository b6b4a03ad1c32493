// Original file: proto/catalog/v1/budgets.proto

import type { BudgetWebhookInput as _sluice_catalog_v1_BudgetWebhookInput, BudgetWebhook as _sluice_catalog_v1_BudgetWebhook } from '../../../sluice/catalog/v1/BudgetWebhook.ts';
import type { BudgetStopInput as _sluice_catalog_v1_BudgetStopInput, BudgetStop as _sluice_catalog_v1_BudgetStop } from '../../../sluice/catalog/v1/BudgetStop.ts';

export interface OrganizationBudgetInput {
  'organization'?: (string);
  /**
   * A decimal number. Absent: there is no budget.
   */
  'monthly'?: (string);
  /**
   * Percent of `monthly`.
   */
  'thresholds'?: (number)[];
  'hard'?: (boolean);
  'webhooks'?: (_sluice_catalog_v1_BudgetWebhookInput)[];
  /**
   * Absent: the organization is not stopped.
   */
  'stop'?: (_sluice_catalog_v1_BudgetStopInput | null);
  /**
   * The organization was deleted, but its stop was not.
   */
  'deleted'?: (boolean);
  '_monthly'?: "monthly";
}

export interface OrganizationBudget {
  'organization': (string);
  /**
   * A decimal number. Absent: there is no budget.
   */
  'monthly'?: (string);
  /**
   * Percent of `monthly`.
   */
  'thresholds': (number)[];
  'hard': (boolean);
  'webhooks': (_sluice_catalog_v1_BudgetWebhook)[];
  /**
   * Absent: the organization is not stopped.
   */
  'stop': (_sluice_catalog_v1_BudgetStop | null);
  /**
   * The organization was deleted, but its stop was not.
   */
  'deleted': (boolean);
  '_monthly'?: "monthly";
}
