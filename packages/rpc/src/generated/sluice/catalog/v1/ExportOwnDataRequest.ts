// Original file: proto/catalog/v1/console.proto


export interface ExportOwnDataRequestInput {
}

export interface ExportOwnDataRequest {
}
