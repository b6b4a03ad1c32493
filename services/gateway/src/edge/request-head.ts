import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import type { RequestContext } from './request-context.ts';

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * What the client expects before it sends its body. A server ignores the expectation of an HTTP/1.0 request:
 * https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export function readExpectation({
  headers,
  httpVersion,
}: IncomingMessage): 'none' | 'continue' | 'unknown' {
  const { expect } = headers;
  if (expect === undefined || httpVersion !== '1.1') return 'none';
  return CONTINUE.test(expect) ? 'continue' : 'unknown';
}

/**
 * An HTTP/1.1 request must have exactly one Host header (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). If it had
 * two, a proxy in front could have routed it by the one that Node does not report. An HTTP/1.0 request may have none.
 *
 * The headers are counted here, because Node silently discards a duplicate:
 * https://nodejs.org/docs/latest-v24.x/api/http.html#messageheaders
 */
export function requireHost({ request }: RequestContext): void {
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1) {
    throw new ServiceError('malformed_request', 'The Host header was sent more than once.');
  }
  if (hosts === 0 && request.httpVersion === '1.1') {
    throw new ServiceError('malformed_request', 'The Host header is missing.');
  }
}

/** `rawHeaders` alternates names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
