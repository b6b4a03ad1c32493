import {
  FAILURE_REASONS,
  SCHEMA_LIMITS,
  ServiceError,
  type FailureReason,
} from '@sluice/contracts';
import type { UnfinishedEnd } from './attempt-end.ts';
import type { ExaminedRequest } from './examine-request.ts';

const LEAST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const RECONNECT_WAIT_MS = 2_000;
const { prepareMs, checkMs, maximumCharacters } = SCHEMA_LIMITS;
/** Where a newer worker does not say. */
const UNNAMED_SCHEMA = 'response_format';

/** Nobody has room. */
export function busyError(waitMs: number): ServiceError {
  return new ServiceError(
    'infrastructure_rate_limit_exceeded',
    'Inference capacity is temporarily unavailable. Please retry after the indicated delay.',
    { retryable: true, retryAfterMs: Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitMs)) },
  );
}

/** Runtimes answer, and do not have the model: to come back in a moment does not help. */
export function modelMissing(): ServiceError {
  return new ServiceError(
    'upstream_model_missing',
    'The inference backend does not have this model, although it is listed. The operator has to correct that.',
  );
}

/** Jobs cannot be sent. */
export function unreachableError(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The service is temporarily unavailable. Please retry.',
    { retryable: true, retryAfterMs: RECONNECT_WAIT_MS },
  );
}

/** What the client is told of an attempt that ended without its answer. */
export function failureOf(end: UnfinishedEnd): ServiceError {
  if (end.kind === 'disconnected') return unreachableError();
  if (end.kind !== 'failed') return upstreamUnavailable();
  const reason = FAILURE_REASONS.find((known) => known === end.reason);
  return reason === undefined ? upstreamUnavailable() : FAILURES[reason](end);
}

/**
 * A runtime does not say reliably which part of a request it cannot take. A schema is the likeliest, then an effort
 * that nobody could check: some servers refuse those that a model does not have.
 */
export function namingParameter(
  error: unknown,
  { schemaIn, model, reasoningEffort }: RefusedParts,
): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_value') return error;
  // The worker has found out which parameter it was.
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

/** A newer worker may give a reason that is not listed. */
const FAILURES: Readonly<Record<FailureReason, (end: FailedEnd) => ServiceError>> = {
  // litellm and LangChain look for these words, not for the code, before they shorten a conversation.
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
  upstream_busy: ({ retryAfterMs }) => busyError(retryAfterMs ?? LEAST_WAIT_MS),
  worker_busy: ({ retryAfterMs }) => busyError(retryAfterMs ?? LEAST_WAIT_MS),
  queue_timeout: ({ retryAfterMs }) => busyError(retryAfterMs ?? LEAST_WAIT_MS),
};

/** Whether the runtime refused it for what stands in it: nothing here has to be mended for that. */
export function isRequestsFault(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return error.code === 'invalid_value' || error.code === 'context_length_exceeded';
}

/** Nobody gave an answer. */
export function upstreamUnavailable(): ServiceError {
  return new ServiceError(
    'upstream_unavailable',
    'The inference backend failed to produce a response. The request may be retried.',
    { retryable: true },
  );
}
