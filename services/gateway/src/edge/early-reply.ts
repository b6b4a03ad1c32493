import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DISCARD_LIMIT_BYTES, stopParsing } from '../request/parser-input.ts';
import { ignoreError, isChunked, isTooFragmented } from '../request/read-body.ts';

// Guarantee: an early error reply reaches a client that is still sending its request. This is the lingering close of
// https://www.rfc-editor.org/rfc/rfc9112#section-9.6

/** A client that sends nothing for this long after its last reply is disconnected. */
const LINGER_MS = 2_000;
/** Limit for a client that keeps sending the body of the answered request. */
const MAX_LINGER_MS = 30_000;
/** A discarded body may have this many small chunks before it is no longer parsed. */
const FREE_CHUNKS = 512;

/** Whether a part of the body is still to come. */
export function awaitsBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Reads and drops the rest of the body, within limits. Some clients read the reply only after they have sent the whole
 * body.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let size = 0;
  let chunks = 0;
  let isParsed = true;
  request.on('error', ignoreError);
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (isChunked(request)) chunks += 1;
    if (size > DISCARD_LIMIT_BYTES) request.socket.destroy();
    else if (isParsed && isTooFragmented(chunks, size, FREE_CHUNKS)) {
      // `stopParsing` is called once, although the parser may still emit thousands of chunks that it has already read.
      isParsed = false;
      stopParsing(request.socket);
    }
  });
}

/**
 * Calls `close` where Node would close the connection after its last reply. Node calls `destroySoon` there
 * (`resOnFinish` in https://github.com/nodejs/node/blob/v24.0.0/lib/_http_server.js). If the client is still sending,
 * that resets the connection and the client may lose the reply. Node has no event for this moment, so `destroySoon` is
 * replaced on this one socket.
 *
 * The alternative is to end the reply only after the whole request has arrived. It would leave the reply open, unlogged
 * and uncounted for up to 30 s, and would not help a client that sends another request after a complete one.
 */
export function replaceClose(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/**
 * Ends our side of the connection, then reads and drops what the client sends. The connection closes when the client
 * ends its side, when it has sent no part of a body for `LINGER_MS`, or after `MAX_LINGER_MS`.
 */
export function drainThenClose(socket: Socket, isReceivingBody: () => boolean): void {
  const since = performance.now();
  let read = socket.bytesRead;
  socket.end();
  const timer = setInterval(() => {
    const isSending = isReceivingBody() && socket.bytesRead > read;
    read = socket.bytesRead;
    if (!isSending || performance.now() - since >= MAX_LINGER_MS) socket.destroy();
  }, LINGER_MS).unref();
  socket.once('close', () => clearInterval(timer));
  socket.resume();
}
