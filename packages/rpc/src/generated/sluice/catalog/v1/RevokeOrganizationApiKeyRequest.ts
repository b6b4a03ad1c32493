// Original file: proto/catalog/v1/console.proto


export interface RevokeOrganizationApiKeyRequestInput {
  'organization'?: (string);
  'key'?: (string);
}

export interface RevokeOrganizationApiKeyRequest {
  'organization': (string);
  'key': (string);
}
