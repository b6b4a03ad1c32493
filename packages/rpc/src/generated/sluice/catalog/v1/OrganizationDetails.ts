// Original file: proto/catalog/v1/console.proto

import type { BudgetInput as _sluice_catalog_v1_BudgetInput, Budget as _sluice_catalog_v1_Budget } from '../../../sluice/catalog/v1/Budget.ts';
import type { WebhookInput as _sluice_catalog_v1_WebhookInput, Webhook as _sluice_catalog_v1_Webhook } from '../../../sluice/catalog/v1/Webhook.ts';
import type { Long } from '@grpc/proto-loader';

export interface OrganizationDetailsInput {
  'id'?: (string);
  'name'?: (string);
  'plan'?: (string);
  /**
   * zero | standard | contributor
   */
  'retention'?: (string);
  /**
   * ok | exhausted | conflict
   */
  'billing'?: (string);
  /**
   * The role of the calling account.
   */
  'role'?: (string);
  'personal'?: (boolean);
  /**
   * The entry's own sequence in the store.
   */
  'sequence'?: (number | string | Long);
  /**
   * Absent: no budget.
   */
  'budget'?: (_sluice_catalog_v1_BudgetInput | null);
  'webhooks'?: (_sluice_catalog_v1_WebhookInput)[];
  /**
   * insufficient_quota | billing_conflict, by `billing` or because the budget is spent; empty: completions are served.
   */
  'billingRefusal'?: (string);
}

export interface OrganizationDetails {
  'id': (string);
  'name': (string);
  'plan': (string);
  /**
   * zero | standard | contributor
   */
  'retention': (string);
  /**
   * ok | exhausted | conflict
   */
  'billing': (string);
  /**
   * The role of the calling account.
   */
  'role': (string);
  'personal': (boolean);
  /**
   * The entry's own sequence in the store.
   */
  'sequence': (number);
  /**
   * Absent: no budget.
   */
  'budget': (_sluice_catalog_v1_Budget | null);
  'webhooks': (_sluice_catalog_v1_Webhook)[];
  /**
   * insufficient_quota | billing_conflict, by `billing` or because the budget is spent; empty: completions are served.
   */
  'billingRefusal': (string);
}
