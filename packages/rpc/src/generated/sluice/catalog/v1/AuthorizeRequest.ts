// Original file: proto/catalog/v1/console.proto


export interface AuthorizeRequestInput {
  /**
   * Empty for actions of operators.
   */
  'organization'?: (string);
  /**
   * usage.read | requests.read | limits.read | budget.read | webhook.secret in an organization; platform.usage.read | platform.requests.read |
   * fleet.read | fleet.drain for operators.
   */
  'action'?: (string);
}

export interface AuthorizeRequest {
  /**
   * Empty for actions of operators.
   */
  'organization': (string);
  /**
   * usage.read | requests.read | limits.read | budget.read | webhook.secret in an organization; platform.usage.read | platform.requests.read |
   * fleet.read | fleet.drain for operators.
   */
  'action': (string);
}
