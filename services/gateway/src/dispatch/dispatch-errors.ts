import {
  FAILURE_REASONS,
  SCHEMA_LIMITS,
  ServiceError,
  type FailureReason,
} from '@sluice/contracts';
import type { ExaminedRequest } from '../request/examine-request.ts';
import type { UnfinishedEnd } from './attempt-end.ts';

const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 60_000;
/** Retry-After while the bus cannot be reached. */
const BUS_RETRY_AFTER_MS = 2_000;
const { prepareMs, checkMs, maximumCharacters } = SCHEMA_LIMITS;
/** Used if the worker does not name the parameter. */
const UNNAMED_SCHEMA = 'response_format';

/** No worker has room. */
export function busyError(waitMs: number): ServiceError {
  return new ServiceError(
    'infrastructure_rate_limit_exceeded',
    'Inference capacity is temporarily unavailable. Please retry after the indicated delay.',
    {
      retryable: true,
      retryAfterMs: Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, waitMs)),
    },
  );
}

/** The runtimes are reachable but lack the model, so a retry does not help. */
export function modelMissing(): ServiceError {
  return new ServiceError(
    'upstream_model_missing',
    'The inference backend does not have this model, although it is listed. The operator has to correct that.',
  );
}

/** The gateway has no connection to the bus. */
export function unreachableError(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The service is temporarily unavailable. Please retry.',
    { retryable: true, retryAfterMs: BUS_RETRY_AFTER_MS },
  );
}

/** The error a client gets for an attempt that ended without a complete answer. */
export function failureOf(end: UnfinishedEnd): ServiceError {
  if (end.kind === 'disconnected') return unreachableError();
  if (end.kind !== 'failed') return upstreamUnavailable();
  const reason = FAILURE_REASONS.find((known) => known === end.reason);
  return reason === undefined ? upstreamUnavailable() : FAILURES[reason](end);
}

/**
 * Adds to an error the parameter that the runtime most likely refused, because runtimes do not name it reliably. A
 * schema is the likeliest cause, then a reasoning effort that the gateway could not check, then the messages.
 */
export function addRefusedParameter(
  error: unknown,
  { schemaIn, model, reasoningEffort }: RefusedParts,
): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_value') return error;
  // The worker has already named the parameter.
  if (error.param !== null) return error;
  const uncheckedEffort = model.reasoning === undefined && reasoningEffort !== undefined;
  const param = schemaIn ?? (uncheckedEffort ? 'reasoning_effort' : 'messages');
  const message = `The model does not accept this request, most likely because of ${param}.`;
  return new ServiceError('invalid_value', message, { param, cause: error });
}

interface RefusedParts extends Pick<ExaminedRequest, 'schemaIn' | 'reasoningEffort'> {
  readonly model: Pick<ExaminedRequest['model'], 'reasoning'>;
}

type FailedEnd = Extract<UnfinishedEnd, { kind: 'failed' }>;

/** The error for each known reason. */
const FAILURES: Readonly<Record<FailureReason, (end: FailedEnd) => ServiceError>> = {
  // litellm and LangChain match these words, not the code, to decide that a conversation has to be shortened.
  context_length_exceeded: () =>
    new ServiceError(
      'context_length_exceeded',
      "This model's maximum context length is exceeded: the prompt is too long, alone or together " +
        'with the output asked for. Shorten the messages, or ask for less output.',
      { param: 'messages' },
    ),
  invalid_request: () =>
    new ServiceError('invalid_value', 'The model does not accept this request.'),
  schema_unreadable: ({ param = UNNAMED_SCHEMA }) =>
    new ServiceError(
      'invalid_value',
      `${param} is not a JSON Schema that replies can be checked against. Patterns have to be regular expressions of ` +
        'ECMA-262 (no (?i), no \\A), references have to lead to a place in the schema, and each keyword needs a ' +
        'value of its type.',
      { param },
    ),
  schema_too_costly: ({ param = UNNAMED_SCHEMA }) =>
    new ServiceError(
      'invalid_value',
      `${param} takes too long to check replies against: more than ${prepareMs} ms to prepare, or more than ` +
        `${checkMs} ms for a reply. Make it smaller, or its patterns simpler. It has at most ` +
        `${maximumCharacters} characters.`,
      { param },
    ),
  upstream_credentials_rejected: () =>
    new ServiceError(
      'upstream_credentials_rejected',
      "The inference backend rejected the platform's own credentials; yours were not the cause.",
    ),
  upstream_model_missing: modelMissing,
  upstream_unavailable: upstreamUnavailable,
  invalid_output: upstreamUnavailable,
  deadline_exceeded: upstreamUnavailable,
  upstream_busy: ({ retryAfterMs }) => busyError(retryAfterMs ?? MIN_RETRY_AFTER_MS),
  worker_busy: ({ retryAfterMs }) => busyError(retryAfterMs ?? MIN_RETRY_AFTER_MS),
  queue_timeout: ({ retryAfterMs }) => busyError(retryAfterMs ?? MIN_RETRY_AFTER_MS),
};

/** Whether the content of the request caused the error, so that there is nothing for the operator to fix. */
export function isRequestFault(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return error.code === 'invalid_value' || error.code === 'context_length_exceeded';
}

/** No worker gave an answer. */
export function upstreamUnavailable(): ServiceError {
  return new ServiceError(
    'upstream_unavailable',
    'The inference backend failed to produce a response. The request may be retried.',
    { retryable: true },
  );
}
