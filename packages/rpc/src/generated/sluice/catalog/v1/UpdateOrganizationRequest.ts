// Original file: proto/catalog/v1/console.proto

import type { BudgetInput as _sluice_catalog_v1_BudgetInput, Budget as _sluice_catalog_v1_Budget } from '../../../sluice/catalog/v1/Budget.ts';
import type { WebhookListInput as _sluice_catalog_v1_WebhookListInput, WebhookList as _sluice_catalog_v1_WebhookList } from '../../../sluice/catalog/v1/WebhookList.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * What is absent stays as it is.
 */
export interface UpdateOrganizationRequestInput {
  'organization'?: (string);
  'name'?: (string);
  'retention'?: (string);
  'budget'?: (_sluice_catalog_v1_BudgetInput | null);
  'webhooks'?: (_sluice_catalog_v1_WebhookListInput | null);
  /**
   * Refuse unless the entry still has this sequence; 0 asks for no such check.
   */
  'sequence'?: (number | string | Long);
  '_name'?: "name";
  '_retention'?: "retention";
}

/**
 * What is absent stays as it is.
 */
export interface UpdateOrganizationRequest {
  'organization': (string);
  'name'?: (string);
  'retention'?: (string);
  'budget': (_sluice_catalog_v1_Budget | null);
  'webhooks': (_sluice_catalog_v1_WebhookList | null);
  /**
   * Refuse unless the entry still has this sequence; 0 asks for no such check.
   */
  'sequence': (number);
  '_name'?: "name";
  '_retention'?: "retention";
}
