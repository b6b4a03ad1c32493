// Original file: proto/catalog/v1/console.proto


export interface WebhookInput {
  'url'?: (string);
}

export interface Webhook {
  'url': (string);
}
