// Original file: proto/catalog/v1/console.proto


export interface DeleteOrganizationRequestInput {
  'organization'?: (string);
}

export interface DeleteOrganizationRequest {
  'organization': (string);
}
