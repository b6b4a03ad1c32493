// Original file: proto/catalog/v1/budgets.proto


export interface SetBudgetStopReplyInput {
}

export interface SetBudgetStopReply {
}
