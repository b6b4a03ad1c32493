import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '@sluice/contracts';
import { count, initCounters } from '@sluice/service';
import { parseInPieces } from '../request/parser-input.ts';
import { ClientConnection } from './client-connection.ts';
import { RequestContext, type RequestContextOptions } from './request-context.ts';
import { watchForStall } from './stalled-client.ts';
import { StartQueue } from './start-queue.ts';

/** Bounds how long one turn of the event loop takes: starting this many small requests takes a few milliseconds. */
const MAX_STARTS_PER_TURN = 32;

/** All open client connections and the request being served on each. */
export class OpenRequests {
  readonly #open = new Map<Socket, ClientConnection>();
  readonly #onEnd: (context: RequestContext) => void;
  readonly #starts = new StartQueue(MAX_STARTS_PER_TURN);
  readonly #idleWaiters = new Set<() => void>();
  /** Connections with too many pipelined requests, to be cut one by one. They are no longer read. */
  readonly #toCut: ClientConnection[] = [];
  #requestCount = 0;
  #closesWhenIdle = false;

  constructor(onEnd: (context: RequestContext) => void) {
    this.#onEnd = onEnd;
    initCounters('sluice.gateway.dropped_connections', [
      { reason: 'limit' },
      { reason: 'pipelining' },
    ]);
  }

  get requestCount(): number {
    return this.#requestCount;
  }

  get connectionCount(): number {
    return this.#open.size;
  }

  watch(server: Server): void {
    server.on('drop', () => {
      count('sluice.gateway.dropped_connections', { reason: 'limit' });
    });
    server.on('connection', (socket: Socket) => {
      const connection = new ClientConnection(socket, this.#starts, () => {
        count('sluice.gateway.dropped_connections', { reason: 'pipelining' });
        this.#toCut.push(connection);
        if (this.#toCut.length === 1) setImmediate(() => this.#cutNext());
      });
      this.#open.set(socket, connection);
      parseInPieces(socket, () => connection.latest);
      socket.once('close', () => this.#onClosed(socket));
    });
  }

  /**
   * Serves a request once the earlier replies of its connection are sent. If the connection ends first, the request is
   * not served.
   */
  accept(
    { request, response, operation }: RequestContextOptions,
    serve: (context: RequestContext) => void,
  ): void {
    const connection = this.#open.get(request.socket);
    connection?.accept(request, () => {
      const context = new RequestContext({ request, response, operation });
      this.#requestCount += 1;
      connection.beginServing(context);
      response.once('finish', () => this.#end(request.socket, context));
      watchForStall(response, () => connection.cut());
      serve(context);
    });
  }

  /** Whether further requests on this connection are ignored. */
  isClosing(socket: Socket): boolean {
    return this.#open.get(socket)?.closing ?? true;
  }

  /** Whether the connection has no unanswered request, so that an error reply may be written directly to its socket. */
  isIdle(socket: Socket): boolean {
    return this.#open.get(socket)?.isIdle ?? false;
  }

  /**
   * Ignores everything else that the client sends, and calls `write` to send the last reply. If this turn of the event
   * loop has started many requests already, `write` is called in a later turn. When 200 clients disconnected in the middle
   * of their headers, answering all of them in one turn took 20 to 40 ms.
   */
  replyLast(socket: Socket, write: () => void): void {
    this.#open.get(socket)?.stopReading();
    this.#starts.start(() => {
      if (socket.writable) write();
      else socket.destroy();
    });
  }

  /** Ends a connection at once, even in the middle of a reply. */
  cut(socket: Socket): void {
    this.#open.get(socket)?.cut();
  }

  /** Makes the reply the last one of its connection. */
  closeAfterReply({ request, headers }: RequestContext): void {
    headers['connection'] = 'close';
    this.#open.get(request.socket)?.closeAfterReply();
  }

  /** Makes every reply that has not started the last one of its connection. */
  closeAfterReplies(): void {
    for (const { context } of this.#open.values()) {
      if (context?.response.headersSent === false) this.closeAfterReply(context);
    }
  }

  /**
   * From now on every connection closes after its current reply, even if that reply started without
   * `connection: close`. The next request would be refused here; on a new connection another gateway may serve it.
   */
  closeWhenIdle(): void {
    this.#closesWhenIdle = true;
  }

  /** The request being served on a connection. */
  requestOn(socket: Socket): RequestContext | undefined {
    return this.#open.get(socket)?.context;
  }

  /** Resolves once no request is open. */
  async idle(): Promise<void> {
    if (this.#requestCount === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleWaiters.add(resolve);
    await promise;
  }

  /** Aborts every open request. Clients get the failure as an error reply or as the error event of their stream. */
  abortAll(failure: ServiceError): void {
    for (const { context } of this.#open.values()) {
      if (context === undefined) continue;
      this.closeAfterReply(context);
      context.abort(failure);
    }
  }

  /** Cuts all open connections. Requests that are still open on them fail. */
  destroyAll(failure?: ServiceError): void {
    for (const connection of this.#open.values()) {
      const { context } = connection;
      if (context !== undefined) context.failure ??= failure;
      connection.cut();
    }
  }

  /**
   * Cuts one connection per turn of the event loop. Node creates an error with a stack trace for every parsed request
   * of a closed connection (`abortIncoming` in https://github.com/nodejs/node/blob/v24.0.0/lib/_http_server.js):
   * for 200 connections with two dozen requests each, that blocked the event loop for 200 ms.
   */
  #cutNext(): void {
    this.#toCut.shift()?.cut();
    if (this.#toCut.length > 0) setImmediate(() => this.#cutNext());
  }

  #onClosed(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    connection.stopReading();
    const { context } = connection;
    if (context === undefined) return;
    context.disconnect();
    this.#finish(context);
  }

  #end(socket: Socket, context: RequestContext): void {
    const connection = this.#open.get(socket);
    // If the socket closed first, the context was already removed.
    if (connection?.endServing(context) !== true) return;
    if (this.#closesWhenIdle) connection.closeIfIdle();
    this.#finish(context);
  }

  #finish(context: RequestContext): void {
    this.#requestCount -= 1;
    this.#onEnd(context);
    if (this.#requestCount > 0) return;
    for (const resolve of this.#idleWaiters) resolve();
    this.#idleWaiters.clear();
  }
}
