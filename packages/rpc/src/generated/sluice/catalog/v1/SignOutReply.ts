// Original file: proto/catalog/v1/console.proto


export interface SignOutReplyInput {
}

export interface SignOutReply {
}
