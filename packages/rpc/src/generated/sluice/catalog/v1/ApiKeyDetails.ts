// Original file: proto/catalog/v1/console.proto

import type { Long } from '@grpc/proto-loader';

export interface ApiKeyDetailsInput {
  'id'?: (string);
  'project'?: (string);
  'name'?: (string);
  /**
   * The account that the key acts for.
   */
  'creator'?: (string);
  'creatorName'?: (string);
  'lastFour'?: (string);
  'createdAtMs'?: (number | string | Long);
  'expiresAtMs'?: (number | string | Long);
  'revokedAtMs'?: (number | string | Long);
  '_expiresAtMs'?: "expiresAtMs";
  '_revokedAtMs'?: "revokedAtMs";
}

export interface ApiKeyDetails {
  'id': (string);
  'project': (string);
  'name': (string);
  /**
   * The account that the key acts for.
   */
  'creator': (string);
  'creatorName': (string);
  'lastFour': (string);
  'createdAtMs': (number);
  'expiresAtMs'?: (number);
  'revokedAtMs'?: (number);
  '_expiresAtMs'?: "expiresAtMs";
  '_revokedAtMs'?: "revokedAtMs";
}
