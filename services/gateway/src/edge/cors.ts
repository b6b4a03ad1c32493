import type { IncomingHttpHeaders } from 'node:http';
import { HeaderName, RATE_LIMIT_HEADER_NAMES } from '@sluice/contracts';

/** How long a browser may reuse the reply to a preflight: one day. */
const PREFLIGHT_AGE_SECONDS = 86_400;

export interface CorsOptions {
  /** `*`, or the list of origins whose pages may read replies. */
  readonly origins: readonly string[];
  readonly retentionHeader: string;
}

export interface Cors {
  /** Adds headers to the reply to this request, whatever its status. */
  addHeaders(headers: Record<string, string>, request: IncomingHttpHeaders): void;
  /** Adds headers to the reply to a request that could not be parsed, whose origin is unknown. */
  addHeadersForAnyone(headers: Record<string, string>): void;
  preflightHeaders(request: IncomingHttpHeaders): Record<string, string>;
}

export function isPreflight(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

export function createCors({ origins, retentionHeader }: CorsOptions): Cors {
  const anyOrigin = origins.includes('*');
  const allowed = new Set(origins);
  const exposed = [...Object.values(HeaderName), retentionHeader, ...RATE_LIMIT_HEADER_NAMES].join(
    ', ',
  );

  function addAllowedOrigin(headers: Record<string, string>, origin: string | undefined): boolean {
    if (anyOrigin) headers['access-control-allow-origin'] = '*';
    else {
      headers['vary'] = 'Origin';
      if (origin === undefined || !allowed.has(origin)) return false;
      headers['access-control-allow-origin'] = origin;
    }
    return true;
  }

  return {
    addHeaders(headers, request) {
      if (addAllowedOrigin(headers, request.origin)) {
        headers['access-control-expose-headers'] = exposed;
      }
    },
    addHeadersForAnyone(headers) {
      if (!anyOrigin) return;
      headers['access-control-allow-origin'] = '*';
      headers['access-control-expose-headers'] = exposed;
    },
    preflightHeaders(request) {
      const headers: Record<string, string> = {};
      if (addAllowedOrigin(headers, request.origin)) {
        headers['access-control-allow-methods'] = 'GET, HEAD, POST';
        headers['access-control-max-age'] = String(PREFLIGHT_AGE_SECONDS);
        const requested = request['access-control-request-headers'];
        if (requested !== undefined) headers['access-control-allow-headers'] = requested;
      }
      headers['vary'] = [...(anyOrigin ? [] : ['Origin']), 'Access-Control-Request-Headers'].join(
        ', ',
      );
      return headers;
    },
  };
}
