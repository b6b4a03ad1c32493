import type { Logger } from '@sluice/service';
import type { RequestContext } from '../edge/request-context.ts';
import { isServerFault, outcomeOf } from './request-record.ts';

/** A longer path is truncated in the log. */
const PATH_CHARS = 200;
/** A longer part of a path is masked in the log. Credentials are longer, and the parts of real paths are shorter. */
const PART_CHARS = 24;

/** Ends the span of a request, and writes its log line. */
export function logRequest(context: RequestContext, logger: Logger): void {
  const { id, method, operation, response, principal, modelId, startedAt, span, failure } = context;
  const code = failure?.code;
  // Before the headers are sent, `statusCode` is the default 200 (https://nodejs.org/api/http.html#responsestatuscode).
  const status = response.headersSent ? response.statusCode : undefined;
  // Whether the client disconnected. False if the gateway cut the connection because of a failure.
  const disconnected = outcomeOf(context) === 'cancelled';
  if (status !== undefined) span?.setAttributes({ 'http.response.status_code': status });
  span?.setAttributes({ 'client.gone': disconnected });
  if (code !== undefined) span?.setAttributes({ 'error.type': code });
  span?.end(isServerFault(context) ? failure : undefined);
  if (failure?.cause !== undefined) {
    const level = isServerFault(context) ? 'error' : 'info';
    logger[level]({ request: id, err: failure.cause, code }, 'a request failed');
  }
  logger.info(
    {
      request: id,
      method,
      route: operation,
      path: pathOf(context),
      status,
      code,
      gone: disconnected || undefined,
      organization: principal?.organization,
      model: modelId,
      ms: Math.round(performance.now() - startedAt),
    },
    'request',
  );
}

/**
 * The path of a request that matches no route, because a client may be configured with a wrong base path. A client may
 * also have put a credential into the address by mistake. Therefore the query is left out, and parts that are long
 * enough for a credential are masked.
 */
function pathOf({ request, operation }: RequestContext): string | undefined {
  if (operation !== 'unknown') return undefined;
  const [path = ''] = (request.url ?? '').split('?', 1);
  const parts = path.slice(0, PATH_CHARS).split('/');
  return parts.map((part) => (part.length > PART_CHARS ? '…' : part)).join('/');
}
