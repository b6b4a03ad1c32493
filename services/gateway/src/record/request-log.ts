import { extractTrace, startSpan, type Logger } from '@sluice/telemetry';
import type { Exchange } from './exchange.ts';
import { isServersFault, outcomeOf } from './request-record.ts';

/** The trace of a request goes on from its client's, if there is one. */
export function openSpan({ request, id, method, operation }: Exchange): Exchange['span'] {
  return startSpan('gateway.request', {
    role: 'server',
    parent: extractTrace(request.headers),
    attributes: { 'http.request.method': method, 'http.route': operation, 'request.id': id },
  });
}

/** Ends the span of a request, and writes its line. */
export function reportExchange(exchange: Exchange, logger: Logger): void {
  const { id, method, operation, response, principal, modelId, startedAt, span, failure } =
    exchange;
  const code = failure?.code;
  // Until one is sent, Node has a 200 ready that nobody saw.
  const status = response.headersSent ? response.statusCode : undefined;
  // Not where something failed and the connection was cut for that, though the exchange is gone then too.
  const gone = outcomeOf(exchange) === 'cancelled';
  if (status !== undefined) span?.setAttributes({ 'http.response.status_code': status });
  span?.setAttributes({ 'client.gone': gone });
  if (code !== undefined) span?.setAttributes({ 'error.type': code });
  span?.end(isServersFault(exchange) ? failure : undefined);
  if (failure?.cause !== undefined) {
    const level = isServersFault(exchange) ? 'error' : 'info';
    logger[level]({ request: id, err: failure.cause, code }, 'a request failed');
  }
  logger.info(
    {
      request: id,
      method,
      route: operation,
      status,
      code,
      gone: gone || undefined,
      organization: principal?.organization,
      model: modelId,
      ms: Math.round(performance.now() - startedAt),
    },
    'request',
  );
}
