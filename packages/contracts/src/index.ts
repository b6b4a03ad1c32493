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
export { RuntimeApiKey, RuntimeUrl, hasPathAlone } from './runtime-settings.ts';
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
  ControlMessage,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_INTERVAL_MS,
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
  REQUEST_OUTCOMES,
  RequestRecord,
  TokenUsage,
  cameToNothing,
  readTokenUsage,
  tokenUsageOf,
  type AbandonReason,
  type RequestOutcome,
} from './ledger.ts';
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
  LARGEST_AMOUNT,
  LIMIT_NAMES,
  type AdmissionDecision,
  type AdmissionRequest,
  type LimitName,
  type LimitWindow,
  type LimitWindows,
  type Limits,
} from './limits.ts';
export { SCHEMA_LIMITS } from './schema-limits.ts';
export { OLDEST_REVISION, isBefore, type Revision } from './revision.ts';
export { readKnownFields, type KnownFields } from './known-fields.ts';
export { effectiveLimits, limitsSequence } from './effective-limits.ts';
export { mintCallId, mintCompletionId, mintProcessId, randomBase62, runtimeCallId } from './ids.ts';
export {
  PLAYGROUND_PREFIX,
  PLAYGROUND_TOKEN_LIFE_MS,
  apiKeyDigest,
  isWellFormedApiKey,
  isWellFormedPlaygroundToken,
  mintApiKey,
} from './credentials.ts';
export {
  Account,
  ApiKey,
  CREDENTIAL_KINDS,
  Organization,
  Plan,
  RESOURCE_KINDS,
  ResourceFile,
  ResourceSchemas,
  type ResourceKind,
  type ResourceOf,
} from './resources.ts';
export {
  CatalogModel,
  ChatCompletion,
  ChatCompletionChunk,
  ErrorBody,
  MAXIMUM_NESTING,
  Model,
  ModelList,
  estimateInputTokens,
  exceedsNesting,
  exceedsValues,
  openApiDocument,
  outputBound,
  parseRequestBody,
  promptBytes,
  requestedOutput,
  toWireModel,
  validateAgainstModel,
  validateChatRequest,
  type ChatCompletionRequest,
  type Usage,
} from './chat/index.ts';
export {
  busUsers,
  serverAccounts,
  sharedSubjects,
  type BusAccount,
  type BusUser,
  type SharedSubject,
} from './bus-rights.ts';
export { natsAccountsFile, natsChartValues } from './bus-rights-files.ts';
