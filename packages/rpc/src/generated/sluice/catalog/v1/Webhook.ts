// Original file: proto/catalog/v1/console.proto


export interface WebhookInput {
  'url'?: (string);
  /**
   * Each version has its own secret. In a request, 0 keeps the version of a webhook, and means 1 for a new webhook.
   */
  'secretVersion'?: (number);
}

export interface Webhook {
  'url': (string);
  /**
   * Each version has its own secret. In a request, 0 keeps the version of a webhook, and means 1 for a new webhook.
   */
  'secretVersion': (number);
}
