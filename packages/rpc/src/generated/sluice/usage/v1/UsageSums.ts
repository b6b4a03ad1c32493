// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

/**
 * An attempt counts for the project and the model in its record. It counts for no key, because the record has none.
 */
export interface UsageSumsInput {
  'requests'?: (number | string | Long);
  'completed'?: (number | string | Long);
  'cancelled'?: (number | string | Long);
  'failed'?: (number | string | Long);
  'refused'?: (number | string | Long);
  'inputTokens'?: (number | string | Long);
  'cachedTokens'?: (number | string | Long);
  'outputTokens'?: (number | string | Long);
  'reasoningTokens'?: (number | string | Long);
  'deliveredTokens'?: (number | string | Long);
  /**
   * Input tokens of requests whose runtime counted them: as estimated, and as counted.
   */
  'estimatedTokens'?: (number | string | Long);
  'countedTokens'?: (number | string | Long);
  /**
   * Attempts that workers accepted, and the tokens that their runtimes generated.
   */
  'attempts'?: (number | string | Long);
  'generatedTokens'?: (number | string | Long);
  /**
   * A decimal number in the currency of the service, exact.
   */
  'spend'?: (string);
  /**
   * Requests whose price was not known. They are not in the spend.
   */
  'unpriced'?: (number | string | Long);
}

/**
 * An attempt counts for the project and the model in its record. It counts for no key, because the record has none.
 */
export interface UsageSums {
  'requests': (number);
  'completed': (number);
  'cancelled': (number);
  'failed': (number);
  'refused': (number);
  'inputTokens': (number);
  'cachedTokens': (number);
  'outputTokens': (number);
  'reasoningTokens': (number);
  'deliveredTokens': (number);
  /**
   * Input tokens of requests whose runtime counted them: as estimated, and as counted.
   */
  'estimatedTokens': (number);
  'countedTokens': (number);
  /**
   * Attempts that workers accepted, and the tokens that their runtimes generated.
   */
  'attempts': (number);
  'generatedTokens': (number);
  /**
   * A decimal number in the currency of the service, exact.
   */
  'spend': (string);
  /**
   * Requests whose price was not known. They are not in the spend.
   */
  'unpriced': (number);
}
