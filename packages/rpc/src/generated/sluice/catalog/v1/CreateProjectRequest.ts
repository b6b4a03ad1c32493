// Original file: proto/catalog/v1/console.proto


export interface CreateProjectRequestInput {
  'organization'?: (string);
  'name'?: (string);
}

export interface CreateProjectRequest {
  'organization': (string);
  'name': (string);
}
