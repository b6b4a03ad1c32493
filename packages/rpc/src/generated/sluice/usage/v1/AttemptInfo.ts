// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

/**
 * An attempt that a worker accepted.
 */
export interface AttemptInfoInput {
  'id'?: (string);
  'acceptedAtMs'?: (number | string | Long);
  'worker'?: (string);
  'gateway'?: (string);
  'organization'?: (string);
  'project'?: (string);
  'model'?: (string);
  /**
   * finished, failed, abandoned or handed_back.
   */
  'ended'?: (string);
  'reason'?: (string);
  'generatedTokens'?: (number | string | Long);
  'queuedMs'?: (number | string | Long);
  'ranMs'?: (number | string | Long);
  /**
   * The id of the worker, if its name is not known.
   */
  'workerName'?: (string);
  'host'?: (string);
  'runtime'?: (string);
}

/**
 * An attempt that a worker accepted.
 */
export interface AttemptInfo {
  'id': (string);
  'acceptedAtMs': (number);
  'worker': (string);
  'gateway': (string);
  'organization': (string);
  'project': (string);
  'model': (string);
  /**
   * finished, failed, abandoned or handed_back.
   */
  'ended': (string);
  'reason': (string);
  'generatedTokens': (number);
  'queuedMs': (number);
  'ranMs': (number);
  /**
   * The id of the worker, if its name is not known.
   */
  'workerName': (string);
  'host': (string);
  'runtime': (string);
}
