// Original file: proto/catalog/v1/console.proto

import type { OrganizationDetailsInput as _sluice_catalog_v1_OrganizationDetailsInput, OrganizationDetails as _sluice_catalog_v1_OrganizationDetails } from '../../../sluice/catalog/v1/OrganizationDetails.ts';
import type { WebhookSecretInput as _sluice_catalog_v1_WebhookSecretInput, WebhookSecret as _sluice_catalog_v1_WebhookSecret } from '../../../sluice/catalog/v1/WebhookSecret.ts';

export interface UpdateOrganizationReplyInput {
  'organization'?: (_sluice_catalog_v1_OrganizationDetailsInput | null);
  /**
   * Always empty: the secrets come from the usage service (GetWebhookSecret), which derives them.
   */
  'webhookSecrets'?: (_sluice_catalog_v1_WebhookSecretInput)[];
}

export interface UpdateOrganizationReply {
  'organization': (_sluice_catalog_v1_OrganizationDetails | null);
  /**
   * Always empty: the secrets come from the usage service (GetWebhookSecret), which derives them.
   */
  'webhookSecrets': (_sluice_catalog_v1_WebhookSecret)[];
}
