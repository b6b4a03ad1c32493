// Original file: proto/usage/v1/usage.proto


export interface GetWebhookSecretReplyInput {
  /**
   * whsec_ and base64, as in Standard Webhooks.
   */
  'secret'?: (string);
}

export interface GetWebhookSecretReply {
  /**
   * whsec_ and base64, as in Standard Webhooks.
   */
  'secret': (string);
}
