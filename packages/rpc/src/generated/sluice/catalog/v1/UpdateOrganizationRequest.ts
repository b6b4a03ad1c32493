// Original file: proto/catalog/v1/console.proto

import type { BudgetInput as _sluice_catalog_v1_BudgetInput, Budget as _sluice_catalog_v1_Budget } from '../../../sluice/catalog/v1/Budget.ts';
import type { WebhookListInput as _sluice_catalog_v1_WebhookListInput, WebhookList as _sluice_catalog_v1_WebhookList } from '../../../sluice/catalog/v1/WebhookList.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * A field that is absent keeps its value.
 */
export interface UpdateOrganizationRequestInput {
  'organization'?: (string);
  'name'?: (string);
  'retention'?: (string);
  'budget'?: (_sluice_catalog_v1_BudgetInput | null);
  'webhooks'?: (_sluice_catalog_v1_WebhookListInput | null);
  /**
   * The update is refused unless the entry still has this sequence. 0 skips the check.
   */
  'sequence'?: (number | string | Long);
  '_name'?: "name";
  '_retention'?: "retention";
}

/**
 * A field that is absent keeps its value.
 */
export interface UpdateOrganizationRequest {
  'organization': (string);
  'name'?: (string);
  'retention'?: (string);
  'budget': (_sluice_catalog_v1_Budget | null);
  'webhooks': (_sluice_catalog_v1_WebhookList | null);
  /**
   * The update is refused unless the entry still has this sequence. 0 skips the check.
   */
  'sequence': (number);
  '_name'?: "name";
  '_retention'?: "retention";
}
