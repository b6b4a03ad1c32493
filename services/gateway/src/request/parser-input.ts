import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The shortest requests that a client can send are 28 to a piece, chunks of a byte 85. */
const PIECE_BYTES = 512;

/**
 * Gives Node's parser what a client sends in small pieces, and stops between two of them once the connection is
 * paused, destroyed or discarded. By itself Node reads 64 KiB at once and parses all of it, 3,600 requests or 10,900
 * chunks, whatever becomes of the connection meanwhile. The rest of a body whose length is declared is given whole.
 */
export function parseInPieces(
  socket: Socket,
  latestRequest: () => IncomingMessage | undefined,
): void {
  const [parse] = socket.listeners('data');
  // Where it is no connection of Node's HTTP server.
  if (parse === undefined) return;
  let latest: IncomingMessage | undefined;
  /** Of its body, at least so much is still to come. */
  let bodyBytes = 0;
  const onRead = (read: Buffer): void => {
    for (let from = 0; from < read.length;) {
      if (socket.isPaused()) {
        socket.unshift(read.subarray(from));
        return;
      }
      const most = bodyBytes > PIECE_BYTES ? bodyBytes : PIECE_BYTES;
      const piece = read.subarray(from, from + most);
      parse.call(socket, piece);
      if (socket.destroyed || socket.listenerCount('data', onRead) === 0) return;
      from += piece.length;
      const request = latestRequest();
      if (request !== latest) bodyBytes = Number(request?.headers['content-length'] ?? 0);
      latest = request;
      bodyBytes -= piece.length;
      // Node bounds what it keeps for a later reader by bytes: 64 KiB may be as many chunks.
      if (isUnread(request)) socket.pause();
    }
  };
  socket.removeAllListeners('data');
  socket.on('data', onRead);
}

/** Whether so much of a body in chunks waits to be read. Node resumes the socket when somebody reads it. */
function isUnread(request: IncomingMessage | undefined): boolean {
  return (
    request?.readableFlowing !== true &&
    (request?.readableLength ?? 0) >= PIECE_BYTES &&
    request?.headers['transfer-encoding'] !== undefined
  );
}
