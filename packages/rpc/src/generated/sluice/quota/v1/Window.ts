// Original file: proto/quota/v1/quota.proto

import type { Long } from '@grpc/proto-loader';

export interface WindowInput {
  'limit'?: (number | string | Long);
  'remaining'?: (number | string | Long);
  'resetMs'?: (number | string | Long);
}

export interface Window {
  'limit': (number);
  'remaining': (number);
  'resetMs': (number);
}
