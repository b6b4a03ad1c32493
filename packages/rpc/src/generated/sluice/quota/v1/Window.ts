// Original file: proto/quota/v1/quota.proto


export interface WindowInput {
  'limit'?: (number | string);
  'remaining'?: (number | string);
  'resetMs'?: (number | string);
}

export interface Window {
  'limit': (number);
  'remaining': (number);
  'resetMs': (number);
}
