import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import { crowdedError } from '../domain/crowded-error.ts';
import type { HeldBytes } from '../domain/held-bytes.ts';
import { BodyPieces } from './body-pieces.ts';
import { DISCARD_LIMIT_BYTES, discardUnparsed } from './discard-unparsed.ts';
import { ClientGoneError, principalOf, type Exchange } from './exchange.ts';

/** An unread body in more small chunks than this is not worth being parsed. */
const DISCARD_FREE_CHUNKS = 512;
/** A body may have so many chunks of any size; beyond them they have to be this long, on average. */
const FREE_CHUNKS = 4_096;
const LEAST_CHUNK_BYTES = 128;

/** Whether the request has a body that is not all here. */
export function awaitsBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export interface BodyBounds {
  /** Of one body. */
  readonly limitBytes: number;
  readonly arriving: HeldBytes;
  /** For one to arrive. Node measures this too, but no more once its server is closed. */
  readonly timeoutMs: number;
}

/**
 * The body's bytes. Throws `request_too_large` or `malformed_request` as soon as it is known to be,
 * `request_timeout`, and `service_unavailable` for want of room.
 */
export async function readBody(
  exchange: Exchange,
  { limitBytes, arriving, timeoutMs }: BodyBounds,
): Promise<Buffer> {
  const { request } = exchange;
  requireReadable(exchange, limitBytes);
  if (exchange.awaitsContinue) {
    exchange.awaitsContinue = false;
    exchange.response.writeContinue();
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces = new BodyPieces();
  const { organization } = principalOf(exchange);
  let size = 0;
  let chunks = 0;
  let counted = 0;
  const refuse = (error: ServiceError) => {
    // At once: thousands of pieces may follow before the promise is looked at, and an error takes long to make.
    request.off('data', onData);
    reject(error);
  };
  const onData = (piece: Buffer) => {
    size += piece.length;
    if (isChunked(request)) chunks += 1;
    if (size > limitBytes) {
      refuse(tooLarge(limitBytes));
      return;
    }
    if (isCrumbled(chunks, size, FREE_CHUNKS)) {
      discardUnparsed(request.socket);
      refuse(tooManyChunks());
      return;
    }
    // Most bodies are here whole with their first piece, and are on no way that could be stopped.
    const isOnItsWay = pieces.count > 0 || !request.complete;
    if (isOnItsWay && !arriving.take(organization, piece.length)) {
      refuse(crowdedError());
      return;
    }
    if (isOnItsWay) counted += piece.length;
    pieces.add(piece);
  };
  const onEnd = () => resolve(pieces.joined());
  const onGone = () => reject(new ClientGoneError());
  request.on('data', onData);
  request.on('end', onEnd);
  request.on('error', onGone);
  exchange.rejectBody = reject;
  // Most bodies are here whole, and need none.
  const deadline = request.complete
    ? undefined
    : setTimeout(() => reject(requestTimeout()), timeoutMs);
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    arriving.giveBack(organization, counted);
    exchange.rejectBody = undefined;
    request.off('data', onData);
    request.off('end', onEnd);
    // Not with the listener that has been there: it knows the body, and a stream may last for hours.
    request.off('error', onGone);
    request.on('error', ignore);
  }
}

function requireReadable(exchange: Exchange, limitBytes: number): void {
  if (exchange.bodyFailure !== undefined) throw exchange.bodyFailure;
  // The body of a client that has left says nothing any more, not even that it ended.
  exchange.abandoned.throwIfAborted();
  const declared = Number(exchange.request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw tooLarge(limitBytes);
}

/** An error may be on its way to a listener that is removed meanwhile; without any it would be thrown. */
function ignore(): void {}

/** Reads what is left to nowhere, so that the client gets to read its reply; within bounds. */
export function discardBody({ request }: Exchange): void {
  if (request.complete || request.destroyed) return;
  let size = 0;
  let chunks = 0;
  let isParsed = true;
  request.on('error', ignore);
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (isChunked(request)) chunks += 1;
    if (size > DISCARD_LIMIT_BYTES) request.socket.destroy();
    else if (isParsed && isCrumbled(chunks, size, DISCARD_FREE_CHUNKS)) {
      // Once: thousands of chunks may follow in what the parser has read already.
      isParsed = false;
      discardUnparsed(request.socket);
    }
  });
}

/** Without chunks each piece is a read from the connection, between which others have their turn. */
function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/**
 * A chunk takes Node microseconds, however short it is: a body of 1 MiB byte by byte would take seconds, in which
 * nobody else is served.
 */
function isCrumbled(chunks: number, bytes: number, freeChunks: number): boolean {
  return chunks > freeChunks + bytes / LEAST_CHUNK_BYTES;
}

function tooManyChunks(): ServiceError {
  return new ServiceError(
    'malformed_request',
    'The request body comes in too many small chunks. Send it in larger ones.',
  );
}

export function requestTimeout(): ServiceError {
  return new ServiceError('request_timeout', 'The request did not arrive in time.');
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError(
    'request_too_large',
    `The request body exceeds the maximum size of ${limitBytes} bytes.`,
  );
}
