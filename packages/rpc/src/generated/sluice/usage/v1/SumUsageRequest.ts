// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface SumUsageRequestInput {
  /**
   * At most two of organization, project, key, model, target, month, day and hour.
   */
  'by'?: (string)[];
  /**
   * An empty field does not restrict.
   */
  'organization'?: (string);
  'project'?: (string);
  'credential'?: (string);
  'model'?: (string);
  /**
   * Unix milliseconds, rounded outwards to whole hours of UTC, or to whole days where hours are no longer kept.
   */
  'sinceMs'?: (number | string | Long);
  'untilMs'?: (number | string | Long);
  /**
   * A field of UsageSums; the largest first. Empty: by name.
   */
  'sort'?: (string);
  /**
   * 1 to 10000; 0 means 1000.
   */
  'limit'?: (number);
}

export interface SumUsageRequest {
  /**
   * At most two of organization, project, key, model, target, month, day and hour.
   */
  'by': (string)[];
  /**
   * An empty field does not restrict.
   */
  'organization': (string);
  'project': (string);
  'credential': (string);
  'model': (string);
  /**
   * Unix milliseconds, rounded outwards to whole hours of UTC, or to whole days where hours are no longer kept.
   */
  'sinceMs': (number);
  'untilMs': (number);
  /**
   * A field of UsageSums; the largest first. Empty: by name.
   */
  'sort': (string);
  /**
   * 1 to 10000; 0 means 1000.
   */
  'limit': (number);
}
