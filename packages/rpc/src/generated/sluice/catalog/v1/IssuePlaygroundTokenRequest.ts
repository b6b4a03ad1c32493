// Original file: proto/catalog/v1/catalog.proto


export interface IssuePlaygroundTokenRequestInput {
  'project'?: (string);
  /**
   * The signed-in account; must be an active member of the project's organization.
   */
  'account'?: (string);
}

export interface IssuePlaygroundTokenRequest {
  'project': (string);
  /**
   * The signed-in account; must be an active member of the project's organization.
   */
  'account': (string);
}
