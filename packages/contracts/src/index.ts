export {
  DEFAULT_SUBJECT_PREFIX,
  attemptName,
  attemptOfSubject,
  subjectsUnder,
  type Subjects,
} from './subjects.ts';
export {
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
export { CONTRACT_VERSION, JobHeader, MalformedJobError, decodeJob, encodeJob } from './job.ts';
export {
  Accepted,
  CatalogChanged,
  ControlMessage,
  FAILURE_REASONS,
  FINISH_REASONS,
  Failed,
  Finished,
  HEARTBEAT_FRESH_MS,
  HEARTBEAT_INTERVAL_MS,
  Heartbeat,
  LEASE_EXPIRY_MS,
  LEASE_INTERVAL_MS,
  Lease,
  REFUSAL_REASONS,
  Refused,
  WorkerLoad,
  type FailureReason,
  type FinishReason,
  type RefusalReason,
} from './fleet.ts';
export { ERROR_CODES, ServiceError, type ErrorCode, type ServiceErrorDetails } from './errors.ts';
export {
  DEFAULT_RETENTION_HEADER,
  HeaderName,
  LIMIT_NAMES,
  RATE_LIMIT_HEADERS,
  type LimitName,
  type RateLimitHeaderNames,
} from './headers.ts';
export type {
  AdmissionDecision,
  AdmissionRequest,
  LimitWindow,
  LimitWindows,
  Limits,
  Revision,
} from './limits.ts';
export {
  CALL_ID_WITHOUT_REASONING,
  CALL_ID_WITH_REASONING,
  mintCallId,
  mintCompletionId,
  mintProcessId,
  randomBase62,
} from './ids.ts';
export {
  PLAYGROUND_PREFIX,
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
  Project,
  RESOURCE_KINDS,
  RETENTIONS,
  ResourceSchemas,
  type ResourceKind,
  type ResourceOf,
} from './resources.ts';
