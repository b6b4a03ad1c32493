// Original file: proto/catalog/v1/console.proto


export interface SignOutRequestInput {
}

export interface SignOutRequest {
}
