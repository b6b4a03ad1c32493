import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@sluice/contracts';

/** Throws `unsupported_media_type` unless the headers declare an uncompressed body of JSON in UTF-8. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const transferCoding = headers['transfer-encoding'] ?? 'chunked';
  if (transferCoding.trim().toLowerCase() !== 'chunked') {
    throw new ServiceError(
      'unsupported_media_type',
      'No Transfer-Encoding but chunked is supported.',
    );
  }
  if (headers['content-encoding'] !== undefined) {
    throw new ServiceError('unsupported_media_type', 'A Content-Encoding is not supported.');
  }
  if (!declaresJson(headers['content-type'] ?? '')) {
    throw new ServiceError(
      'unsupported_media_type',
      "The Content-Type header must be 'application/json', in UTF-8.",
    );
  }
}

const DECLARES_JSON = /^\s*application\/json\s*(?:;|$)/i;
const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

function declaresJson(contentType: string): boolean {
  // Nearly every client sends exactly this.
  if (contentType === 'application/json') return true;
  if (!DECLARES_JSON.test(contentType)) return false;
  for (const [, name = '', quoted, plain = ''] of contentType.matchAll(PARAMETER)) {
    if (name.toLowerCase() === 'charset' && !/^utf-?8$/i.test(quoted ?? plain)) return false;
  }
  return true;
}
