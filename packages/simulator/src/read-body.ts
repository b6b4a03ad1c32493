import type { IncomingMessage } from 'node:http';
import { RefusedRequest } from './refusal.ts';

const largestBody = 64 * 1024 * 1024;
const tooLarge = 'The request body is too large.';

/** Reads and parses a JSON body. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new RefusedRequest(400, "Unsupported Media Type: Only 'application/json' is allowed");
  }
  if (Number(request.headers['content-length'] ?? 0) > largestBody) {
    throw new RefusedRequest(413, tooLarge);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > largestBody) throw new RefusedRequest(413, tooLarge);
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces, size).toString('utf8')) as unknown;
  } catch {
    throw new RefusedRequest(400, '1 validation error:\n  body: JSON decode error', 'body');
  }
}
