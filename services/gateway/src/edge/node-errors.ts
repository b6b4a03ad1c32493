import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { HeaderName, ServiceError } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';
import type { Connections } from './connections.ts';
import type { Cors } from './cors.ts';
import { discardUnparsed } from './discard-unparsed.ts';
import { errorReply } from './error-reply.ts';
import { JSON_TYPE } from './json-type.ts';
import { requestTimeout } from './read-body.ts';
import { countUnreadable } from './request-metrics.ts';

const FLUSH_LIMIT_MS = 1_000;
const METHODS = 'GET, HEAD, POST, OPTIONS';

export interface ClientErrorsOptions {
  readonly connections: Connections;
  readonly cors: Cors;
  readonly logger: Logger;
}

interface UnreadReplyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Node's word for what was wrong, for the log. */
  readonly reason?: string | undefined;
}

/** Takes the place of the bare replies that Node itself writes to what it cannot read. */
export class ClientErrors {
  readonly #connections: Connections;
  readonly #cors: Cors;
  readonly #logger: Logger;

  constructor({ connections, cors, logger }: ClientErrorsOptions) {
    this.#connections = connections;
    this.#cors = cors;
    this.#logger = logger;
  }

  watch(server: Server): void {
    server.on('connect', (_request: IncomingMessage, socket: Socket) => this.#refuseTunnel(socket));
  }

  /** For Node's `clientError`. May come again and again for one connection. */
  handle(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // The rest would be an error again, piece by piece.
    discardUnparsed(socket);
    const failure = translate(error);
    const exchange = this.#connections.exchangeOn(socket);
    // The last reply of the connection is written, or will be; it may still wait for its body.
    if (this.#connections.isClosing(socket)) {
      if (exchange?.request.complete === false) exchange.failBody(failure);
    } else if (exchange?.response.headersSent === false) {
      // It is answered, though nothing can come after it.
      this.#connections.closeAfterReply(exchange);
      if (!exchange.request.complete) exchange.failBody(failure);
    } else if (this.#connections.isIdle(socket)) {
      this.#writeReply(socket, failure, { reason: error.code });
    } else {
      // A second reply to one request would be taken for the reply to the next, and anything
      // written into a reply under way for part of it.
      this.#connections.cut(socket);
    }
  }

  #refuseTunnel(socket: Socket): void {
    // Node has let go of the socket: nobody else hears of its errors, and one that nobody hears ends the process.
    socket.on('error', () => socket.destroy());
    // Node has freed the connection's parser, which may read another one by now.
    discardUnparsed(socket);
    // A reply now would be taken for that of the request before it, or for a part of one under way.
    if (!this.#connections.isIdle(socket)) {
      socket.destroy();
      return;
    }
    const error = new ServiceError('method_not_allowed', 'This server is not a proxy.');
    this.#writeReply(socket, error, { headers: { allow: METHODS } });
  }

  /** Of a request that there is no exchange of: straight to the socket, as its last. */
  #writeReply(socket: Socket, error: ServiceError, { headers, reason }: UnreadReplyOptions): void {
    this.#connections.ignoreWhatComes(socket);
    const reply = errorReply(error);
    const { status, body } = reply;
    const id = randomUUID();
    const all: Record<string, string> = {
      [HeaderName.requestId]: id,
      [HeaderName.serverRequestId]: id,
      ...reply.headers,
      ...headers,
      ...bodyHeaders(body),
      connection: 'close',
    };
    this.#cors.addHeadersForAnyone(all);
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), FLUSH_LIMIT_MS).unref();
    countUnreadable(status, error.code);
    this.#logger.info({ request: id, status, code: error.code, reason }, 'request');
  }
}

function bodyHeaders(body: string): Record<string, string> {
  return {
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
  };
}

function translate(error: NodeJS.ErrnoException): ServiceError {
  // Without its cause, which holds the bytes that came.
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', 'The request headers are too large.');
    default:
      return new ServiceError('malformed_request', 'The request is not valid HTTP.');
  }
}
