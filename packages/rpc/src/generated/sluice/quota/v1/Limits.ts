// Original file: proto/quota/v1/quota.proto


/**
 * A limit that is absent is unlimited.
 */
export interface LimitsInput {
  'requestsPerMinute'?: (number | string);
  'requestsPerDay'?: (number | string);
  'tokensPerMinute'?: (number | string);
  'tokensPerDay'?: (number | string);
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
