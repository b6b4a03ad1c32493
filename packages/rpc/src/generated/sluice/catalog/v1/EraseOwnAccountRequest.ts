// Original file: proto/catalog/v1/console.proto


export interface EraseOwnAccountRequestInput {
}

export interface EraseOwnAccountRequest {
}
