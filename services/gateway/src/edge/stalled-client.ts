import type { ServerResponse } from 'node:http';

const CHECK_MS = 15_000;

/**
 * Guarantee: a client that reads nothing of its reply for 30 s is disconnected, after 45 s at the latest. A client
 * that reads slowly, or waits for its reply, stays connected.
 *
 * A socket's timer restarts with every write. When it expires, Node emits no timeout if the current write has made
 * progress since the previous check:
 * https://github.com/nodejs/node/blob/v24.0.0/lib/net.js (`Socket.prototype._onTimeout`)
 * Received bytes restart the timer too. A client that keeps sending without reading is stopped by the limits on
 * waiting requests and by the timeouts for headers and bodies.
 */
export function watchForStall(
  response: ServerResponse,
  disconnect: () => void,
  checkMs = CHECK_MS,
): void {
  const { socket } = response.req;
  let stalledAt = -Infinity;
  response.setTimeout(checkMs, () => {
    const now = performance.now();
    if (socket.writableLength > 0) {
      // The client is disconnected only at the second of two timeouts in a row. A single one may follow a pause of the
      // process, after which Node checks before it has seen what the client read meanwhile.
      if (now - stalledAt < 1.5 * checkMs) {
        disconnect();
        return;
      }
      stalledAt = now;
    }
    // A socket's timer fires only once.
    socket.setTimeout(checkMs);
  });
}
