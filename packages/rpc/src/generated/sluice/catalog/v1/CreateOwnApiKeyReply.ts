// Original file: proto/catalog/v1/console.proto

import type { ApiKeyDetailsInput as _sluice_catalog_v1_ApiKeyDetailsInput, ApiKeyDetails as _sluice_catalog_v1_ApiKeyDetails } from '../../../sluice/catalog/v1/ApiKeyDetails.ts';

export interface CreateOwnApiKeyReplyInput {
  'details'?: (_sluice_catalog_v1_ApiKeyDetailsInput | null);
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'key'?: (string);
}

export interface CreateOwnApiKeyReply {
  'details': (_sluice_catalog_v1_ApiKeyDetails | null);
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'key': (string);
}
