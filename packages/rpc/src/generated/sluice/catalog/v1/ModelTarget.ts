// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A pool of workers that serves a share of the model's conversations.
 */
export interface ModelTargetInput {
  'name'?: (string);
  'pool'?: (string);
  'runtimeModel'?: (string);
  /**
   * Relative to the sum of all weights. 0: the target gets no new requests.
   */
  'weight'?: (number | string);
  /**
   * What its runtime supports, if known.
   */
  'contextLength'?: (number | string | Long);
  'maxOutputTokens'?: (number | string | Long);
  'supportedEfforts'?: (string)[];
  '_contextLength'?: "contextLength";
  '_maxOutputTokens'?: "maxOutputTokens";
}

/**
 * A pool of workers that serves a share of the model's conversations.
 */
export interface ModelTarget {
  'name': (string);
  'pool': (string);
  'runtimeModel': (string);
  /**
   * Relative to the sum of all weights. 0: the target gets no new requests.
   */
  'weight': (number);
  /**
   * What its runtime supports, if known.
   */
  'contextLength'?: (number);
  'maxOutputTokens'?: (number);
  'supportedEfforts': (string)[];
  '_contextLength'?: "contextLength";
  '_maxOutputTokens'?: "maxOutputTokens";
}
