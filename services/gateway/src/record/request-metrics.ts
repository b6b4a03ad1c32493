import { ERROR_CODES, type ErrorCode, type RequestRecord } from '@sluice/contracts';
import { count, initCounters, measure, metricsEnabled, oncePerModel } from '@sluice/service';
import { UNSERVED_REASONS } from '../dispatch/job-run.ts';
import { HTTP_ERRORS } from '../edge/error-reply.ts';
import type { RequestContext } from '../edge/request-context.ts';
import { outcomeOf } from './request-record.ts';

const NONE = 'none';

/** Codes with a 5xx status. */
const SERVER_ERROR_CODES = ERROR_CODES.filter((code) => HTTP_ERRORS[code].status >= 500);
/** Codes of failures that occur before the model is known. */
const BEFORE_MODELS: ReadonlySet<ErrorCode> = new Set([
  'authentication_unavailable',
  'model_availability_unavailable',
]);
/** Codes that a stream can end with after its status was sent. */
const MID_STREAM_CODES = [
  'upstream_unavailable',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

const failedCompletion = (code: ErrorCode, status: number, model: string) =>
  ({ operation: 'completions', outcome: 'failed', status: String(status), code, model }) as const;

/** Starts the counters of completions that fail before their model is known. */
export function startRequestCounters(): void {
  initCounters(
    'sluice.gateway.requests',
    SERVER_ERROR_CODES.map((code) => failedCompletion(code, HTTP_ERRORS[code].status, NONE)),
  );
}

/**
 * Starts the counters of a model at its first completion and not with the process, because each model has about ten
 * series.
 */
export const startModelCounters = oncePerModel((model) => {
  initCounters('sluice.gateway.requests', [
    ...SERVER_ERROR_CODES.filter((code) => !BEFORE_MODELS.has(code)).map((code) =>
      failedCompletion(code, HTTP_ERRORS[code].status, model),
    ),
    ...MID_STREAM_CODES.map((code) => failedCompletion(code, 200, model)),
  ]);
  initCounters(
    'sluice.gateway.unserved',
    UNSERVED_REASONS.map((reason) => ({ reason, model })),
  );
});

/** Call it once for each request, authenticated or not. */
export function countRequest(context: RequestContext): void {
  if (!metricsEnabled()) return;
  const { operation, response, failure, modelId } = context;
  count('sluice.gateway.requests', {
    operation,
    outcome: outcomeOf(context),
    status: response.headersSent ? String(response.statusCode) : NONE,
    code: failure?.code ?? NONE,
    model: modelId ?? NONE,
  });
}

/** Measures durations and tokens. Call it once for each authenticated request. */
export function measureRequest(record: RequestRecord, expectedCachedTokens: number): void {
  if (!metricsEnabled()) return;
  const { operation, outcome, stream, usage } = record;
  const model = record.model ?? NONE;
  const target = record.target ?? NONE;
  const duration = { operation, outcome, model, target, stream: String(stream) };
  measure('sluice.gateway.request.duration', duration, record.duration_ms / 1_000);
  if (stream && record.first_token_ms !== null) {
    measure(
      'sluice.gateway.first_token.duration',
      { model, target },
      record.first_token_ms / 1_000,
    );
    const interval = tokenIntervalMs(record);
    if (interval !== undefined) {
      measure('sluice.gateway.output_token.duration', { model, target }, interval / 1_000);
    }
  }
  if (usage === null) return;
  if (usage.input_tokens > 0) {
    const ratio = record.estimated_input_tokens / usage.input_tokens;
    measure('sluice.gateway.input_estimate.ratio', { model }, ratio);
  }
  count('sluice.gateway.tokens', { model, target, kind: 'input' }, usage.input_tokens);
  count('sluice.gateway.tokens', { model, target, kind: 'cached_input' }, usage.cached_tokens);
  count(
    'sluice.gateway.tokens',
    { model, target, kind: 'expected_cached_input' },
    expectedCachedTokens,
  );
  count('sluice.gateway.tokens', { model, target, kind: 'output' }, usage.output_tokens);
  count(
    'sluice.gateway.tokens',
    { model, target, kind: 'reasoning_output' },
    usage.reasoning_tokens,
  );
}

/** The mean time between the output tokens of a complete stream. Undefined if it has fewer than two. */
function tokenIntervalMs({
  usage,
  first_token_ms,
  duration_ms,
}: RequestRecord): number | undefined {
  if (usage === null || first_token_ms === null || usage.output_tokens < 2) return undefined;
  return (duration_ms - first_token_ms) / (usage.output_tokens - 1);
}
