// Original file: proto/catalog/v1/console.proto

import type { Long } from '@grpc/proto-loader';

export interface CreateOwnApiKeyRequestInput {
  'organization'?: (string);
  'project'?: (string);
  'name'?: (string);
  'expiresAtMs'?: (number | string | Long);
  '_expiresAtMs'?: "expiresAtMs";
}

export interface CreateOwnApiKeyRequest {
  'organization': (string);
  'project': (string);
  'name': (string);
  'expiresAtMs'?: (number);
  '_expiresAtMs'?: "expiresAtMs";
}
