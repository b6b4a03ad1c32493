// Original file: proto/quota/v1/quota.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A limit that is absent is unlimited.
 */
export interface LimitsInput {
  'requestsPerMinute'?: (number | string | Long);
  'requestsPerDay'?: (number | string | Long);
  'tokensPerMinute'?: (number | string | Long);
  'tokensPerDay'?: (number | string | Long);
  '_requestsPerMinute'?: "requestsPerMinute";
  '_requestsPerDay'?: "requestsPerDay";
  '_tokensPerMinute'?: "tokensPerMinute";
  '_tokensPerDay'?: "tokensPerDay";
}

/**
 * A limit that is absent is unlimited.
 */
export interface Limits {
  'requestsPerMinute'?: (number);
  'requestsPerDay'?: (number);
  'tokensPerMinute'?: (number);
  'tokensPerDay'?: (number);
  '_requestsPerMinute'?: "requestsPerMinute";
  '_requestsPerDay'?: "requestsPerDay";
  '_tokensPerMinute'?: "tokensPerMinute";
  '_tokensPerDay'?: "tokensPerDay";
}
