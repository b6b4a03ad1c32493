// Original file: proto/usage/v1/usage.proto


export interface GetWebhookSecretRequestInput {
  'organization'?: (string);
  'url'?: (string);
}

export interface GetWebhookSecretRequest {
  'organization': (string);
  'url': (string);
}
