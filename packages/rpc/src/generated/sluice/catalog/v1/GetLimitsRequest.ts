// Original file: proto/catalog/v1/console.proto


export interface GetLimitsRequestInput {
  'organization'?: (string);
}

export interface GetLimitsRequest {
  'organization': (string);
}
