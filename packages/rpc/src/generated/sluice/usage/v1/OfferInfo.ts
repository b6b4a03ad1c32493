// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A worker that was offered the request.
 */
export interface OfferInfoInput {
  'worker'?: (string);
  /**
   * The id of the worker, if its name is not known.
   */
  'workerName'?: (string);
  'target'?: (string);
  /**
   * From the arrival of the request to the offer, and from the offer to its end.
   */
  'afterMs'?: (number | string | Long);
  'tookMs'?: (number | string | Long);
  /**
   * finished, refused, handed_back, failed, or what the gateway found, such as silent or left.
   */
  'ended'?: (string);
  'reason'?: (string);
}

/**
 * A worker that was offered the request.
 */
export interface OfferInfo {
  'worker': (string);
  /**
   * The id of the worker, if its name is not known.
   */
  'workerName': (string);
  'target': (string);
  /**
   * From the arrival of the request to the offer, and from the offer to its end.
   */
  'afterMs': (number);
  'tookMs': (number);
  /**
   * finished, refused, handed_back, failed, or what the gateway found, such as silent or left.
   */
  'ended': (string);
  'reason': (string);
}
