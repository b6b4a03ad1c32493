import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import { type ByteBudget, bodyMemoryExhausted } from './byte-budget.ts';
import { stopParsing } from './parser-input.ts';

/** A body may have this many chunks of any size, and one more for each `MIN_CHUNK_BYTES` of its length. */
const FREE_CHUNKS = 4_096;
/**
 * Chosen so that chunks of 128 bytes are accepted. What is counted are `data` events: one for each chunk, and up to one
 * more for every 512 bytes, which `parseInPieces` causes.
 */
const MIN_CHUNK_BYTES = 96;

/** A request whose body is to be read. */
export interface BodySource {
  readonly request: IncomingMessage;
  /** Aborts when the body is no longer needed. */
  readonly signal: AbortSignal;
  /** Called before reading starts, because the client may wait for `100 Continue`. */
  askForBody(): void;
}

export interface BodyBounds {
  /** Maximum length of one body. */
  readonly limitBytes: number;
  /** Memory for bodies that have not arrived completely. */
  readonly arriving: ByteBudget;
  /**
   * Time for one body to arrive. Node's own `requestTimeout` has no effect after `server.close()`: see
   * `httpServerPreClose` in https://github.com/nodejs/node/blob/v24.0.0/lib/_http_server.js
   */
  readonly timeoutMs: number;
}

/**
 * Reads the whole body. Throws `request_too_large` or `malformed_request` as soon as the body breaks a limit,
 * `request_timeout` if it arrives too slowly, and `service_unavailable` if the memory budget is used up.
 */
export async function readBody(
  source: BodySource,
  organization: string,
  { limitBytes, arriving, timeoutMs }: BodyBounds,
): Promise<Buffer> {
  const { request, signal } = source;
  requireReadable(source, limitBytes);
  source.askForBody();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces = new BodyBuffer();
  let size = 0;
  let chunks = 0;
  let reserved = 0;
  const refuse = (error: ServiceError) => {
    // The listener is removed at once: thousands of pieces may arrive before the rejection is handled, and each would
    // create an error.
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
    if (isTooFragmented(chunks, size, FREE_CHUNKS)) {
      stopParsing(request.socket);
      refuse(tooManyChunks());
      return;
    }
    // Most bodies are complete with their first piece and need no reservation.
    const isIncomplete = pieces.count > 0 || !request.complete;
    if (isIncomplete && !arriving.reserve(organization, piece.length)) {
      refuse(bodyMemoryExhausted());
      return;
    }
    if (isIncomplete) reserved += piece.length;
    pieces.add(piece);
  };
  const onEnd = () => resolve(pieces.joined());
  const onError = () => reject(new ClientDisconnectedError());
  const onAbort = () => reject(signal.reason);
  request.on('data', onData);
  request.on('end', onEnd);
  request.on('error', onError);
  let deadline: NodeJS.Timeout | undefined;
  // A complete body needs neither the deadline nor the signal.
  if (!request.complete) {
    deadline = setTimeout(() => reject(requestTimeout()), timeoutMs);
    signal.addEventListener('abort', onAbort);
  }
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    arriving.release(organization, reserved);
    signal.removeEventListener('abort', onAbort);
    request.off('data', onData);
    request.off('end', onEnd);
    // The listener `onError` would keep the body in memory for as long as the reply streams.
    request.off('error', onError);
    request.on('error', ignoreError);
  }
}

function requireReadable({ request, signal }: BodySource, limitBytes: number): void {
  // After a disconnect the request emits no further events, not even `end`.
  signal.throwIfAborted();
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw tooLarge(limitBytes);
}

/** An error may still be emitted after the listener is removed. Without a listener, Node would throw it. */
export function ignoreError(): void {}

/**
 * Only chunks are counted. Without chunked encoding, every piece is a read from the socket, and other clients are
 * served between two reads.
 */
export function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/**
 * Parsing a chunk takes Node microseconds regardless of its length. A body of 1 MiB in chunks of one byte would block
 * the event loop for seconds.
 */
export function isTooFragmented(chunks: number, bytes: number, freeChunks: number): boolean {
  return chunks > freeChunks + bytes / MIN_CHUNK_BYTES;
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

/** When a body has this many separate pieces, they are joined. Most bodies have fewer. */
const MAX_LOOSE_PIECES = 256;

/**
 * Collects the pieces of a body. Every piece takes hundreds of bytes of memory besides its content, so many small
 * pieces are joined as they arrive.
 */
export class BodyBuffer {
  readonly #joined: Buffer[] = [];
  #loose: Buffer[] = [];

  /** The number of buffers held. */
  get count(): number {
    return this.#joined.length + this.#loose.length;
  }

  add(piece: Buffer): void {
    this.#loose.push(piece);
    if (this.#loose.length < MAX_LOOSE_PIECES) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** All pieces in one buffer. A single piece is not copied. */
  joined(): Buffer {
    const all = [...this.#joined, ...this.#loose];
    const [first] = all;
    return all.length === 1 && first !== undefined ? first : Buffer.concat(all);
  }
}

/** The client disconnected or was disconnected. No reply can reach it. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}
