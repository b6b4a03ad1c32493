// Original file: proto/catalog/v1/budgets.proto


export interface ReadBudgetsRequestInput {
  /**
   * The tag of an earlier reply. If nothing has changed since, the reply has only the tag.
   */
  'knownTag'?: (string);
}

export interface ReadBudgetsRequest {
  /**
   * The tag of an earlier reply. If nothing has changed since, the reply has only the tag.
   */
  'knownTag': (string);
}
