// Original file: proto/catalog/v1/console.proto


export interface WebhookSecretInput {
  'url'?: (string);
  'secret'?: (string);
}

export interface WebhookSecret {
  'url': (string);
  'secret': (string);
}
