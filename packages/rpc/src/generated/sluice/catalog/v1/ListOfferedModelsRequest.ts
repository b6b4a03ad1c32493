// Original file: proto/catalog/v1/console.proto


export interface ListOfferedModelsRequestInput {
  'organization'?: (string);
}

export interface ListOfferedModelsRequest {
  'organization': (string);
}
