// Original file: proto/catalog/v1/catalog.proto


/**
 * kind: plans, models, accounts, organizations, projects, api_keys.
 */
export interface ResourceReferenceInput {
  'kind'?: (string);
  'id'?: (string);
}

/**
 * kind: plans, models, accounts, organizations, projects, api_keys.
 */
export interface ResourceReference {
  'kind': (string);
  'id': (string);
}
