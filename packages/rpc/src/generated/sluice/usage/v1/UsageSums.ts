// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

/**
 * By project or model, an attempt counts where its record says so; attempts have no key.
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
   * Of requests whose runtime counted: the estimate of their input, and the count.
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
 * By project or model, an attempt counts where its record says so; attempts have no key.
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
   * Of requests whose runtime counted: the estimate of their input, and the count.
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
