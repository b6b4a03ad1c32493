// Original file: proto/catalog/v1/catalog.proto


export interface RevokeApiKeyRequestInput {
  'id'?: (string);
}

export interface RevokeApiKeyRequest {
  'id': (string);
}
