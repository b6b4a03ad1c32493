// Original file: proto/catalog/v1/console.proto

import type { Long } from '@grpc/proto-loader';

export interface InvitationDescriptionInput {
  'organization'?: (string);
  'organizationName'?: (string);
  'role'?: (string);
  'expiresAtMs'?: (number | string | Long);
}

export interface InvitationDescription {
  'organization': (string);
  'organizationName': (string);
  'role': (string);
  'expiresAtMs': (number);
}
