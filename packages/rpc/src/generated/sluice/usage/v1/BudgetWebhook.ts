// Original file: proto/usage/v1/usage.proto


export interface BudgetWebhookInput {
  'url'?: (string);
  'secretVersion'?: (number);
}

export interface BudgetWebhook {
  'url': (string);
  'secretVersion': (number);
}
