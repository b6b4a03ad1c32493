// Original file: proto/quota/v1/quota.proto

export const Outcome = {
  OUTCOME_UNAVAILABLE: 'OUTCOME_UNAVAILABLE',
  OUTCOME_ADMITTED: 'OUTCOME_ADMITTED',
  OUTCOME_REFUSED: 'OUTCOME_REFUSED',
} as const;

export type OutcomeInput =
  | 'OUTCOME_UNAVAILABLE'
  | 0
  | 'OUTCOME_ADMITTED'
  | 1
  | 'OUTCOME_REFUSED'
  | 2

export type Outcome = typeof Outcome[keyof typeof Outcome]
