import type { ErrorCode, RequestRecord } from '@sluice/contracts';
import { count, measure, metricsEnabled } from '@sluice/telemetry';
import type { Exchange } from './exchange.ts';
import { outcomeOf } from './request-record.ts';

const NONE = 'none';

/** Once for each request, authenticated or not. */
export function countRequest(exchange: Exchange): void {
  if (!metricsEnabled()) return;
  const { route, response, failure, modelId } = exchange;
  count('sluice.gateway.requests', {
    operation: route.name,
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
