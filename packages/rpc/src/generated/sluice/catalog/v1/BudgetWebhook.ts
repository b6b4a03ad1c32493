// Original file: proto/catalog/v1/budgets.proto


export interface BudgetWebhookInput {
  'url'?: (string);
  'secretVersion'?: (number);
}

export interface BudgetWebhook {
  'url': (string);
  'secretVersion': (number);
}
