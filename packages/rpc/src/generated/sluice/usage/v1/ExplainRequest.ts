// Original file: proto/usage/v1/usage.proto


export interface ExplainRequestInput {
  'id'?: (string);
}

export interface ExplainRequest {
  'id': (string);
}
