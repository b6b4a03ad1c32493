import type { ServerResponse } from 'node:http';

/** Sends a JSON document as a complete response. */
export function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
