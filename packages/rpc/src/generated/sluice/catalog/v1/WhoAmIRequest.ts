// Original file: proto/catalog/v1/console.proto


export interface WhoAmIRequestInput {
}

export interface WhoAmIRequest {
}
