export {
  DEFAULT_CATALOG_BUCKET,
  DEFAULT_SUBJECT_PREFIX,
  GATEWAY_INQUIRY,
  SubjectPrefix,
  attemptName,
  attemptOfSubject,
  subjectsUnder,
  workerName,
  type LedgerPlace,
  type Subjects,
} from './subjects.ts';
export {
  FRAME_HEADER_BYTES,
  FrameKind,
  MalformedFrameError,
  SILENCE_LIMIT_MS,
  TICK_INTERVAL_MS,
  encodeFrames,
  frame,
  jsonFrame,
  readFrames,
  type Frame,
} from './frames.ts';
export {
  Accepted,
  FAILURE_REASONS,
  Failed,
  Finished,
  REFUSAL_REASONS,
  Refused,
  type FailureReason,
  type FinishReason,
  type RefusalReason,
} from './frame-bodies.ts';
export { CatalogChanged } from './catalog-changed.ts';
export { CONTRACT_VERSION, JobHeader, MalformedJobError, decodeJob, encodeJob } from './job.ts';
export {
  ClassLoad,
  ControlMessage,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_INTERVAL_MS,
  MAX_FULL_ORGANIZATIONS,
  HEARTBEAT_LATE_MS,
  Heartbeat,
  LEASE_EXPIRY_MS,
  LEASE_INTERVAL_MS,
  LEASE_LATE_MS,
  Lease,
  RuntimeLoad,
  WorkerLoad,
} from './fleet.ts';
export {
  AttemptRecord,
  LedgerRecord,
  MAX_RECORDED_OFFERS,
  REQUEST_OUTCOMES,
  RequestRecord,
  TokenUsage,
  isRefusal,
  readTokenUsage,
  tokenUsageOf,
  type AbandonReason,
  type RecordedLimits,
  type RecordedOffer,
  type RequestOutcome,
} from './ledger.ts';
export { type ConsoleRefusal } from './console-refusals.ts';
export {
  ACCESS_REFUSALS,
  BILLING_REFUSALS,
  ERROR_CODES,
  ServiceError,
  type AccessRefusal,
  type BillingRefusal,
  type ErrorCode,
} from './errors.ts';
export {
  DEFAULT_RETENTION_HEADER,
  HeaderName,
  RATE_LIMIT_HEADERS,
  RATE_LIMIT_HEADER_NAMES,
} from './headers.ts';
export {
  LIMIT_NAMES,
  MAX_AMOUNT,
  type AdmissionDecision,
  type AdmissionRequest,
  type LimitName,
  type LimitWindow,
  type LimitWindows,
  type Limits,
} from './limits.ts';
export { SCHEMA_LIMITS } from './schema-limits.ts';
export { OLDEST_REVISION, isBefore, type Revision } from './revision.ts';
export { BudgetStop, hardLimitOf, monthOf } from './budgets.ts';
export { decimalOf, roundedAmount, unitsOf } from './money.ts';
export { priceAt, type DatedPrice, type TokenPrice } from './prices.ts';
export { readKnownFields, type KnownFields } from './known-fields.ts';
export { effectiveLimits, limitsSequence } from './effective-limits.ts';
export { effectiveScheduling } from './effective-scheduling.ts';
export { DEFAULT_WEIGHT, SCHEDULING_CLASSES, schedulingOf, type Scheduling } from './scheduling.ts';
export {
  mintCallId,
  mintCompletionId,
  mintProcessId,
  randomBase62,
  runtimeCallId,
  CALL_ID_WITHOUT_REASONING,
} from './ids.ts';
export {
  PLAYGROUND_PREFIX,
  PLAYGROUND_TOKEN_LIFE_MS,
  apiKeyDigest,
  isWellFormedApiKey,
  isWellFormedPlaygroundToken,
  mintApiKey,
} from './credentials.ts';
export { withKeptFields } from './kept-fields.ts';
export {
  Account,
  ApiKey,
  CREDENTIAL_KINDS,
  DEFAULT_ROLE,
  DisplayName,
  EmailAddress,
  Invitation,
  ORGANIZATION_ROLES,
  Organization,
  Plan,
  RESOURCE_KINDS,
  ResourceFile,
  ResourceSchemas,
  SignInLink,
  type Identity,
  type OrganizationRole,
  type ResourceKind,
  type ResourceOf,
} from './resources.ts';
export { CatalogModel, Model, ModelId, ModelList, toWireModel } from './chat/model.ts';
export type { ModelTarget } from './chat/targets.ts';
export { ChatCompletion, ChatCompletionChunk, Usage } from './chat/reply.ts';
export { ErrorBody } from './chat/error-body.ts';
export {
  MAXIMUM_NESTING,
  exceedsNesting,
  exceedsValues,
  countValues,
  memberNames,
  namesOfExcess,
} from './chat/nesting.ts';
export {
  BLOCK_ENDS,
  decodeBlockHashes,
  encodeBlockHashes,
  type PromptPrefix,
} from './prefix-blocks.ts';
export { ServedBlocks } from './served-blocks.ts';
export { estimateInputTokens, promptBytes, jsonBytes } from './chat/estimate-input-tokens.ts';
export {
  busUsers,
  serverAccounts,
  sharedSubjects,
  type BusAccount,
  type BusUser,
  type SharedSubject,
} from './bus-rights.ts';
export { natsAccountsFile, natsChartValues } from './bus-rights-files.ts';
