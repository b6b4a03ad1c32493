// Original file: proto/catalog/v1/catalog.proto


export interface ListResourcesRequestInput {
  'kind'?: (string);
}

export interface ListResourcesRequest {
  'kind': (string);
}
