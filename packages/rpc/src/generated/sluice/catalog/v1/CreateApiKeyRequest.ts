// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

export interface CreateApiKeyRequestInput {
  'project'?: (string);
  'name'?: (string);
  /**
   * The account that creates it; must be an active member with access.
   */
  'creator'?: (string);
  'expiresAtMs'?: (number | string | Long);
  '_expiresAtMs'?: "expiresAtMs";
}

export interface CreateApiKeyRequest {
  'project': (string);
  'name': (string);
  /**
   * The account that creates it; must be an active member with access.
   */
  'creator': (string);
  'expiresAtMs'?: (number);
  '_expiresAtMs'?: "expiresAtMs";
}
