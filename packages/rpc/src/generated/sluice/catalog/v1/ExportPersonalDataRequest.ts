// Original file: proto/catalog/v1/console.proto


export interface ExportPersonalDataRequestInput {
  'account'?: (string);
}

export interface ExportPersonalDataRequest {
  'account': (string);
}
