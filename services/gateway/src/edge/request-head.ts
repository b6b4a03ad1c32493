import { ServiceError } from '@sluice/contracts';
import type { Exchange } from './exchange.ts';

/**
 * A request names its host once (RFC 9112, 3.2): of two, a proxy before this one may have gone by the other.
 * Node keeps the first in silence. HTTP/1.0 has requests without any.
 */
export function requireHost({ request }: Exchange): void {
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1) {
    throw new ServiceError('malformed_request', 'The Host header was sent more than once.');
  }
  if (hosts === 0 && request.httpVersion === '1.1') {
    throw new ServiceError('malformed_request', 'The Host header is missing.');
  }
}

/** Of headers as they came: name, value, name, value, … */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
