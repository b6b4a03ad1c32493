import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, HeaderName, ServiceError } from '@sluice/contracts';
import { count, type Logger } from '@sluice/service';
import { stopParsing } from '../request/parser-input.ts';
import { requestTimeout } from '../request/read-body.ts';
import type { Cors } from './cors.ts';
import { errorReply, JSON_TYPE } from './error-reply.ts';
import type { OpenRequests } from './open-requests.ts';

/** How long the client may take to read the error reply. */
const FLUSH_LIMIT_MS = 1_000;

export interface NodeErrorsOptions {
  readonly openRequests: OpenRequests;
  readonly cors: Cors;
  readonly logger: Logger;
}

/** Replaces the bare error replies that Node writes by default to requests that it cannot parse. */
export class NodeErrors {
  readonly #openRequests: OpenRequests;
  readonly #cors: Cors;
  readonly #logger: Logger;

  constructor({ openRequests, cors, logger }: NodeErrorsOptions) {
    this.#openRequests = openRequests;
    this.#cors = cors;
    this.#logger = logger;
  }

  /** Handles Node's `clientError` event, which can fire repeatedly for one connection. */
  handle(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Every further piece would cause the same error again.
    stopParsing(socket);
    const context = this.#openRequests.requestOn(socket);
    // The last reply of the connection is sent or in progress. If its request still waits for the rest of its body, the
    // request fails now.
    if (this.#openRequests.isClosing(socket)) {
      if (context?.request.complete === false) context.abort(translate(error));
    } else if (context?.request.complete === true && error.code === 'HPE_INVALID_EOF_STATE') {
      // The client disconnected in the middle of its next request.
      this.#openRequests.cut(socket);
    } else if (context?.response.headersSent === false) {
      // The request is answered, but no other request can follow on this connection.
      this.#openRequests.closeAfterReply(context);
      if (!context.request.complete) context.abort(translate(error));
    } else if (this.#openRequests.isIdle(socket)) {
      this.#openRequests.replyLast(socket, () => this.#writeReply(socket, error));
    } else {
      // An error reply could be mistaken for the reply to the next request or, during a reply, for a part of it.
      this.#openRequests.cut(socket);
    }
  }

  /** Writes the last reply directly to the socket. */
  #writeReply(socket: Socket, cause: NodeJS.ErrnoException): void {
    const error = translate(cause);
    const reply = errorReply(error);
    const { status, body } = reply;
    const id = randomUUID();
    const all: Record<string, string> = {
      [HeaderName.requestId]: id,
      [HeaderName.serverRequestId]: id,
      ...reply.headers,
      ...bodyHeaders(body),
      connection: 'close',
    };
    this.#cors.addHeadersForAnyone(all);
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), FLUSH_LIMIT_MS).unref();
    countUnreadable(status, error.code);
    this.#logger.info({ request: id, status, code: error.code, reason: cause.code }, 'request');
  }
}

function bodyHeaders(body: string): Record<string, string> {
  return {
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
  };
}

function translate(error: NodeJS.ErrnoException): ServiceError {
  // The cause is left out: it holds the received bytes, which must not reach a log.
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', 'The request headers are too large.');
    default:
      return new ServiceError('malformed_request', 'The request is not valid HTTP.');
  }
}

/** Counts a request that could not be parsed but was answered. */
function countUnreadable(status: number, code: ErrorCode): void {
  count('sluice.gateway.requests', {
    operation: 'unknown',
    outcome: 'refused',
    status: String(status),
    code,
    model: 'none',
  });
}
