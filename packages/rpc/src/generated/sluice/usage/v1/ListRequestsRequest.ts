// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface ListRequestsRequestInput {
  /**
   * An empty field does not restrict.
   */
  'organization'?: (string);
  'project'?: (string);
  'credential'?: (string);
  'model'?: (string);
  /**
   * Requests with an attempt at the worker of this name. Without since_ms, only those of the last day.
   */
  'worker'?: (string);
  'outcomes'?: (string)[];
  'codes'?: (string)[];
  /**
   * Requests that were received at or after since_ms and before until_ms, in Unix milliseconds.
   */
  'sinceMs'?: (number | string | Long);
  'untilMs'?: (number | string | Long);
  /**
   * 1 to 1000; 0 means 50.
   */
  'limit'?: (number);
  /**
   * From an earlier reply: the page that follows it.
   */
  'page'?: (string);
  /**
   * From an earlier reply: only requests that became known after it, oldest first.
   */
  'afterArrival'?: (number | string | Long);
  /**
   * HTTP statuses.
   */
  'statuses'?: (number)[];
  '_sinceMs'?: "sinceMs";
  '_untilMs'?: "untilMs";
  '_afterArrival'?: "afterArrival";
}

export interface ListRequestsRequest {
  /**
   * An empty field does not restrict.
   */
  'organization': (string);
  'project': (string);
  'credential': (string);
  'model': (string);
  /**
   * Requests with an attempt at the worker of this name. Without since_ms, only those of the last day.
   */
  'worker': (string);
  'outcomes': (string)[];
  'codes': (string)[];
  /**
   * Requests that were received at or after since_ms and before until_ms, in Unix milliseconds.
   */
  'sinceMs'?: (number);
  'untilMs'?: (number);
  /**
   * 1 to 1000; 0 means 50.
   */
  'limit': (number);
  /**
   * From an earlier reply: the page that follows it.
   */
  'page': (string);
  /**
   * From an earlier reply: only requests that became known after it, oldest first.
   */
  'afterArrival'?: (number);
  /**
   * HTTP statuses.
   */
  'statuses': (number)[];
  '_sinceMs'?: "sinceMs";
  '_untilMs'?: "untilMs";
  '_afterArrival'?: "afterArrival";
}
