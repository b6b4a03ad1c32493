// Original file: proto/catalog/v1/console.proto


/**
 * Refused while the project has active keys. Its other keys are deleted with it.
 */
export interface DeleteProjectRequestInput {
  'organization'?: (string);
  'project'?: (string);
}

/**
 * Refused while the project has active keys. Its other keys are deleted with it.
 */
export interface DeleteProjectRequest {
  'organization': (string);
  'project': (string);
}
