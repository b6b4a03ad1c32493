// Original file: proto/catalog/v1/console.proto


export interface GetOrganizationRequestInput {
  'organization'?: (string);
}

export interface GetOrganizationRequest {
  'organization': (string);
}
