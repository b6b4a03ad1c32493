// Original file: proto/catalog/v1/console.proto


export interface IssueOwnPlaygroundTokenRequestInput {
  'organization'?: (string);
  'project'?: (string);
}

export interface IssueOwnPlaygroundTokenRequest {
  'organization': (string);
  'project': (string);
}
