// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

export interface IssuePlaygroundTokenReplyInput {
  'token'?: (string);
  'expiresAtMs'?: (number | string | Long);
}

export interface IssuePlaygroundTokenReply {
  'token': (string);
  'expiresAtMs': (number);
}
