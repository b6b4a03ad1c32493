// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A request that passed authentication. Text that is not known is empty.
 */
export interface RequestInfoInput {
  'id'?: (string);
  'receivedAtMs'?: (number | string | Long);
  'organization'?: (string);
  'project'?: (string);
  /**
   * The id of the key or of the playground credential.
   */
  'credential'?: (string);
  'operation'?: (string);
  'model'?: (string);
  'stream'?: (boolean);
  /**
   * completed, cancelled, failed or refused.
   */
  'outcome'?: (string);
  /**
   * The error code; empty without an error.
   */
  'code'?: (string);
  'gateway'?: (string);
  /**
   * Workers that were offered the request, and those that refused it at once.
   */
  'offers'?: (number | string | Long);
  'refusedOffers'?: (number | string | Long);
  'estimatedInputTokens'?: (number | string | Long);
  'deliveredTokens'?: (number | string | Long);
  /**
   * Whether the runtime counted the tokens. Otherwise they are estimates.
   */
  'counted'?: (boolean);
  'inputTokens'?: (number | string | Long);
  'cachedTokens'?: (number | string | Long);
  'outputTokens'?: (number | string | Long);
  'reasoningTokens'?: (number | string | Long);
  'firstTokenMs'?: (number | string | Long);
  'durationMs'?: (number | string | Long);
  /**
   * The target of the model whose worker was offered the request last.
   */
  'target'?: (string);
  /**
   * The HTTP status. Absent: the client disconnected before it was sent, or this was not recorded.
   */
  'status'?: (number);
  /**
   * A decimal number in the currency of the service, exact. Absent: the price was not known.
   */
  'spend'?: (string);
  '_firstTokenMs'?: "firstTokenMs";
  '_status'?: "status";
  '_spend'?: "spend";
}

/**
 * A request that passed authentication. Text that is not known is empty.
 */
export interface RequestInfo {
  'id': (string);
  'receivedAtMs': (number);
  'organization': (string);
  'project': (string);
  /**
   * The id of the key or of the playground credential.
   */
  'credential': (string);
  'operation': (string);
  'model': (string);
  'stream': (boolean);
  /**
   * completed, cancelled, failed or refused.
   */
  'outcome': (string);
  /**
   * The error code; empty without an error.
   */
  'code': (string);
  'gateway': (string);
  /**
   * Workers that were offered the request, and those that refused it at once.
   */
  'offers': (number);
  'refusedOffers': (number);
  'estimatedInputTokens': (number);
  'deliveredTokens': (number);
  /**
   * Whether the runtime counted the tokens. Otherwise they are estimates.
   */
  'counted': (boolean);
  'inputTokens': (number);
  'cachedTokens': (number);
  'outputTokens': (number);
  'reasoningTokens': (number);
  'firstTokenMs'?: (number);
  'durationMs': (number);
  /**
   * The target of the model whose worker was offered the request last.
   */
  'target': (string);
  /**
   * The HTTP status. Absent: the client disconnected before it was sent, or this was not recorded.
   */
  'status'?: (number);
  /**
   * A decimal number in the currency of the service, exact. Absent: the price was not known.
   */
  'spend'?: (string);
  '_firstTokenMs'?: "firstTokenMs";
  '_status'?: "status";
  '_spend'?: "spend";
}
