// Original file: proto/catalog/v1/console.proto


export interface WebhookInput {
  'url'?: (string);
  /**
   * Another version has another secret. 0 in a request: as before, or 1 for a new webhook.
   */
  'secretVersion'?: (number);
}

export interface Webhook {
  'url': (string);
  /**
   * Another version has another secret. 0 in a request: as before, or 1 for a new webhook.
   */
  'secretVersion': (number);
}
