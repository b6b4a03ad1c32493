// Original file: proto/catalog/v1/console.proto


export interface OrganizationSummaryInput {
  'id'?: (string);
  'name'?: (string);
  'plan'?: (string);
  'billing'?: (string);
  'members'?: (number);
  'projects'?: (number);
}

export interface OrganizationSummary {
  'id': (string);
  'name': (string);
  'plan': (string);
  'billing': (string);
  'members': (number);
  'projects': (number);
}
