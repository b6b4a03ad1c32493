// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

export interface CreateSignInLinkReplyInput {
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'token'?: (string);
  'expiresAtMs'?: (number | string | Long);
}

export interface CreateSignInLinkReply {
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'token': (string);
  'expiresAtMs': (number);
}
