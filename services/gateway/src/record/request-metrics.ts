import { ERROR_CODES, type ErrorCode, type RequestRecord } from '@sluice/contracts';
import { count, measure, metricsEnabled, oncePerModel, startAtZero } from '@sluice/telemetry';
import { UNSERVED_REASONS } from '../domain/run-job.ts';
import { HTTP_ERRORS } from './error-table.ts';
import type { Exchange } from './exchange.ts';
import { outcomeOf } from './request-record.ts';

const NONE = 'none';

const OWN_FAULTS = ERROR_CODES.filter((code) => HTTP_ERRORS[code].status >= 500);
/** Where the catalog does not answer, no model is known yet. */
const BEFORE_MODELS: ReadonlySet<ErrorCode> = new Set([
  'authentication_unavailable',
  'model_availability_unavailable',
]);
/** What a stream may end with after its status. */
const BREAKING_OFF = [
  'upstream_unavailable',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

const failedCompletion = (code: ErrorCode, status: number, model: string) =>
  ({ operation: 'completions', outcome: 'failed', status: String(status), code, model }) as const;

/** Completions that may fail before it is known of which model they are. */
export function startRequestCounters(): void {
  startAtZero(
    'sluice.gateway.requests',
    OWN_FAULTS.map((code) => failedCompletion(code, HTTP_ERRORS[code].status, NONE)),
  );
}

/** When a completion is asked of a model: ten series of each, so these alone. */
export const startModelCounters = oncePerModel((model) => {
  startAtZero('sluice.gateway.requests', [
    ...OWN_FAULTS.filter((code) => !BEFORE_MODELS.has(code)).map((code) =>
      failedCompletion(code, HTTP_ERRORS[code].status, model),
    ),
    ...BREAKING_OFF.map((code) => failedCompletion(code, 200, model)),
  ]);
  startAtZero(
    'sluice.gateway.unserved',
    UNSERVED_REASONS.map((reason) => ({ reason, model })),
  );
});

/** Once for each request, authenticated or not. */
export function countRequest(exchange: Exchange): void {
  if (!metricsEnabled()) return;
  const { operation, response, failure, modelId } = exchange;
  count('sluice.gateway.requests', {
    operation,
    outcome: outcomeOf(exchange),
    status: response.headersSent ? String(response.statusCode) : NONE,
    code: failure?.code ?? NONE,
    model: modelId ?? NONE,
  });
}

/** What could not be read as a request, and was answered as one all the same. */
export function countUnreadable(status: number, code: ErrorCode): void {
  count('sluice.gateway.requests', {
    operation: 'unknown',
    outcome: 'refused',
    status: String(status),
    code,
    model: NONE,
  });
}

/** Once for each request that passed authentication: how long it took and what it used. */
export function measureRequest(record: RequestRecord): void {
  if (!metricsEnabled()) return;
  const { operation, outcome, stream, usage } = record;
  const model = record.model ?? NONE;
  const duration = { operation, outcome, model, stream: String(stream) };
  measure('sluice.gateway.request.duration', duration, record.duration_ms / 1_000);
  if (stream && record.first_token_ms !== null) {
    measure('sluice.gateway.first_token.duration', { model }, record.first_token_ms / 1_000);
  }
  if (usage === null) return;
  if (usage.input_tokens > 0) {
    const ratio = record.estimated_input_tokens / usage.input_tokens;
    measure('sluice.gateway.input_estimate.ratio', { model }, ratio);
  }
  count('sluice.gateway.tokens', { model, kind: 'input' }, usage.input_tokens);
  count('sluice.gateway.tokens', { model, kind: 'cached_input' }, usage.cached_tokens);
  count('sluice.gateway.tokens', { model, kind: 'output' }, usage.output_tokens);
  count('sluice.gateway.tokens', { model, kind: 'reasoning_output' }, usage.reasoning_tokens);
}
