// Original file: proto/catalog/v1/console.proto


export interface RenameProjectRequestInput {
  'organization'?: (string);
  'project'?: (string);
  'name'?: (string);
}

export interface RenameProjectRequest {
  'organization': (string);
  'project': (string);
  'name': (string);
}
