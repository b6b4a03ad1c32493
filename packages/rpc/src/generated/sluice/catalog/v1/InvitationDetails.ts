// Original file: proto/catalog/v1/console.proto

import type { Long } from '@grpc/proto-loader';

export interface InvitationDetailsInput {
  'id'?: (string);
  'role'?: (string);
  'email'?: (string);
  'invitedBy'?: (string);
  'createdAtMs'?: (number | string | Long);
  'expiresAtMs'?: (number | string | Long);
}

export interface InvitationDetails {
  'id': (string);
  'role': (string);
  'email': (string);
  'invitedBy': (string);
  'createdAtMs': (number);
  'expiresAtMs': (number);
}
