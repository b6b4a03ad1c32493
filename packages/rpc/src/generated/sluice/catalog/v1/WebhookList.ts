// Original file: proto/catalog/v1/console.proto

import type { WebhookInput as _sluice_catalog_v1_WebhookInput, Webhook as _sluice_catalog_v1_Webhook } from '../../../sluice/catalog/v1/Webhook.ts';

export interface WebhookListInput {
  'webhooks'?: (_sluice_catalog_v1_WebhookInput)[];
}

export interface WebhookList {
  'webhooks': (_sluice_catalog_v1_Webhook)[];
}
