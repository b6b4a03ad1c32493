import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A piece of this size holds at most 28 requests, or 85 chunks of one byte. */
const PIECE_BYTES = 512;
/** A client that sends more than this after its connection started to close is disconnected at once. */
export const DISCARD_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Guarantee: a client that sends many small requests or chunks at once does not delay other clients.
 *
 * By default Node reads 64 KiB and parses all of it, up to 3,600 requests or 10,900 chunks, even if the connection is
 * closed meanwhile. Pausing the socket does not help, because Node resumes it at the end of each request:
 * https://github.com/nodejs/node/blob/v24.0.0/lib/_http_common.js (`parserOnMessageComplete`).
 *
 * Therefore the listener of Node's parser is taken from the socket and called with small pieces, until the connection
 * is paused, destroyed or closing. The rest of a body with a declared length is passed to the parser in one piece.
 *
 * One connection that sent 9,360 small requests at once blocked the event loop for 95 to 140 ms without this, and
 * blocks it for 5 to 8 ms with it.
 */
export function parseInPieces(
  socket: Socket,
  latestRequest: () => IncomingMessage | undefined,
): void {
  const [parse] = socket.listeners('data');
  // Without this listener, the socket does not belong to Node's HTTP server.
  if (parse === undefined) return;
  let latest: IncomingMessage | undefined;
  /** At least this many bytes of the latest request's body are still to come. */
  let bodyBytes = 0;
  const onRead = (read: Buffer): void => {
    for (let from = 0; from < read.length;) {
      if (socket.isPaused()) {
        socket.unshift(read.subarray(from));
        return;
      }
      const size = Math.max(bodyBytes, PIECE_BYTES);
      const piece = read.subarray(from, from + size);
      parse.call(socket, piece);
      // `stopParsing` may have removed this listener meanwhile.
      if (socket.destroyed || socket.listenerCount('data', onRead) === 0) return;
      from += piece.length;
      const request = latestRequest();
      if (request !== latest) bodyBytes = Number(request?.headers['content-length'] ?? 0);
      latest = request;
      bodyBytes -= piece.length;
      // Node limits unread data by bytes and not by chunks: 64 KiB may consist of 65,536 chunks.
      if (isUnread(request)) socket.pause();
    }
  };
  socket.removeAllListeners('data');
  socket.on('data', onRead);
}

/** Drops everything else that the client sends without parsing it. Call this only if no further reply follows. */
export function stopParsing(socket: Socket): void {
  let size = 0;
  socket.removeAllListeners('data');
  socket.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > DISCARD_LIMIT_BYTES) socket.destroy();
  });
}

/** Whether at least `PIECE_BYTES` of a chunked body are unread. Node resumes the socket when the body is read. */
function isUnread(request: IncomingMessage | undefined): boolean {
  return (
    request?.readableFlowing !== true &&
    (request?.readableLength ?? 0) >= PIECE_BYTES &&
    request?.headers['transfer-encoding'] !== undefined
  );
}
