import type { Socket } from 'node:net';

/** What is longer than this is not worth its connection. */
export const DISCARD_LIMIT_BYTES = 16 * 1024 * 1024;

/** Takes the connection, of which nothing more is answered, from Node's parser: it is that which takes so long. */
export function discardUnparsed(socket: Socket): void {
  let size = 0;
  socket.removeAllListeners('data');
  socket.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > DISCARD_LIMIT_BYTES) socket.destroy();
  });
}
