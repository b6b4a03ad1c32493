import type { ServerResponse } from 'node:http';

// Guarantee: no client mistakes a partial reply for a complete one.

/** Time for the client to read the last bytes before the connection breaks. */
const READING_MS = 100;

/** Closes the connection of a reply that is not complete. */
export function breakConnection({ req, headersSent, chunkedEncoding }: ServerResponse): void {
  // If the body is not chunked, closing the connection marks its end, so only a reset shows that it is incomplete:
  // https://www.rfc-editor.org/rfc/rfc9112#section-6.3
  if (headersSent && !chunkedEncoding) req.socket.resetAndDestroy();
  else req.socket.destroy();
}

/** Breaks the connection once all written bytes are sent, or after `limitMs` at the latest. */
export function breakWhenSent(response: ServerResponse, limitMs: number): void {
  if (limitMs === 0) {
    breakConnection(response);
    return;
  }
  const { socket } = response.req;
  const timer = setTimeout(() => breakConnection(response), limitMs).unref();
  // The callback of an empty write is called once everything written before it has been sent.
  socket.write('', () => {
    clearTimeout(timer);
    // A reset can make the client discard bytes that it has not read yet:
    // https://www.rfc-editor.org/rfc/rfc9112#section-9.6
    setTimeout(() => breakConnection(response), Math.min(READING_MS, limitMs)).unref();
  });
}
