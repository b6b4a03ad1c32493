import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HeaderName, ServiceError } from '@sluice/contracts';
import type { Connections } from './connections.ts';
import type { Cors } from './cors.ts';
import { errorReply } from './error-reply.ts';

const FLUSH_LIMIT_MS = 1_000;

export interface ClientErrorsOptions {
  readonly connections: Connections;
  readonly cors: Cors;
}

/** Takes the place of the bare replies that Node itself writes to what it cannot read. */
export class ClientErrors {
  readonly #connections: Connections;
  readonly #cors: Cors;

  constructor({ connections, cors }: ClientErrorsOptions) {
    this.#connections = connections;
    this.#cors = cors;
  }

  watch(
    server: Server,
    handle: (request: IncomingMessage, response: ServerResponse) => void,
  ): void {
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // The client is asked for its body only after it has passed the checks before it.
      this.#connections.begin(request, response).awaitsContinue = true;
      handle(request, response);
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      const exchange = this.#connections.begin(request, response);
      const error = new ServiceError(
        'expectation_failed',
        'Only Expect: 100-continue is supported.',
      );
      const reply = errorReply(error);
      this.#cors.addHeaders(exchange.headers, request.headers);
      response.writeHead(reply.status, {
        ...exchange.headers,
        ...bodyHeaders(reply.body),
        connection: 'close',
      });
      response.end(reply.body);
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      this.#writeReply(
        socket,
        new ServiceError('method_not_allowed', 'This server is not a proxy.'),
      );
    });
  }

  /** For Node's `clientError`. May come again and again for one connection. */
  handle(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const failure = translate(error);
    const open = this.#connections.openOn(socket);
    const latest = open.at(-1);
    if (latest === undefined) {
      this.#writeReply(socket, failure);
      return;
    }
    // Anything written now would be taken for part of the reply that is under way.
    if (latest.request.complete || latest.response.headersSent || open.length > 1) {
      socket.destroy();
      return;
    }
    latest.headers['connection'] = 'close';
    latest.bodyFailure = failure;
    latest.failBody?.(failure);
  }

  #writeReply(socket: Socket, error: ServiceError): void {
    const { status, headers, body } = errorReply(error);
    const id = randomUUID();
    const all: Record<string, string> = {
      [HeaderName.requestId]: id,
      [HeaderName.serverRequestId]: id,
      ...headers,
      ...bodyHeaders(body),
      connection: 'close',
    };
    this.#cors.addHeadersForAnyone(all);
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), FLUSH_LIMIT_MS).unref();
  }
}

function bodyHeaders(body: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  };
}

function translate(error: NodeJS.ErrnoException): ServiceError {
  const options = { cause: error };
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request did not arrive in time.', options);
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', 'The request headers are too large.', options);
    default:
      return new ServiceError('malformed_request', 'The request is not valid HTTP.', options);
  }
}
