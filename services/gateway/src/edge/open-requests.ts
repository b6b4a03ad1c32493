import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '@sluice/contracts';
import { count, startAtZero } from '@sluice/telemetry';
import { checkRegularly } from '@sluice/timing';
import { ClientConnection } from './client-connection.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { parseInPieces } from './parse-in-pieces.ts';

const CHECK_INTERVAL_MS = 1_000;

/** The open connections of clients, and the request that is served on each. */
export class Connections implements Disposable {
  readonly #open = new Map<Socket, ClientConnection>();
  readonly #onEnd: (exchange: Exchange) => void;
  readonly #idleWaiters = new Set<() => void>();
  readonly #checking: Disposable;
  /** Dropped connections. */
  readonly #toCut: ClientConnection[] = [];
  #exchangeCount = 0;
  #closesWhenIdle = false;

  constructor(onEnd: (exchange: Exchange) => void) {
    this.#onEnd = onEnd;
    startAtZero('sluice.gateway.dropped_connections', [
      { reason: 'limit' },
      { reason: 'pipelining' },
    ]);
    this.#checking = checkRegularly(() => this.#checkStalls(), {
      everyMs: CHECK_INTERVAL_MS,
      clock: () => performance.now(),
    });
  }

  get exchangeCount(): number {
    return this.#exchangeCount;
  }

  get connectionCount(): number {
    return this.#open.size;
  }

  watch(server: Server): void {
    server.on('drop', () => {
      count('sluice.gateway.dropped_connections', { reason: 'limit' });
    });
    server.on('connection', (socket: Socket) => {
      const connection = new ClientConnection(socket, () => {
        count('sluice.gateway.dropped_connections', { reason: 'pipelining' });
        this.#toCut.push(connection);
        if (this.#toCut.length === 1) setImmediate(() => this.#cutNext());
      });
      this.#open.set(socket, connection);
      parseInPieces(socket, () => connection.latest);
      socket.once('close', () => this.#noteClosed(socket));
    });
  }

  /** Serves a request once the replies before its own are out; never, if the connection ends before. */
  accept(
    { request, response, operation }: ExchangeOptions,
    serve: (exchange: Exchange) => void,
  ): void {
    const connection = this.#open.get(request.socket);
    connection?.accept(request, () => {
      const exchange = new Exchange({ request, response, operation });
      this.#exchangeCount += 1;
      connection.add(exchange);
      response.once('finish', () => this.#end(request.socket, exchange));
      serve(exchange);
    });
  }

  /** Whether nothing that comes on this connection has a meaning any more. */
  isClosing(socket: Socket): boolean {
    return this.#open.get(socket)?.closing ?? true;
  }

  /** Whether every request that has come is answered, so that an error reply may be written to the socket. */
  isIdle(socket: Socket): boolean {
    return this.#open.get(socket)?.isIdle ?? false;
  }

  /** Whatever else its client sends has no meaning. */
  ignoreWhatComes(socket: Socket): void {
    this.#open.get(socket)?.ignoreWhatComes();
  }

  /** Ends a connection at once, whatever is under way on it. */
  cut(socket: Socket): void {
    this.#open.get(socket)?.cut();
  }

  /** Makes the reply the last one of its connection. */
  closeAfterReply({ request, headers }: Exchange): void {
    headers['connection'] = 'close';
    this.#open.get(request.socket)?.closeAfterReply();
  }

  /** Makes every reply that has not begun the last one of its connection. */
  closeAfterReplies(): void {
    for (const { exchange } of this.#open.values()) {
      if (exchange?.response.headersSent === false) this.closeAfterReply(exchange);
    }
  }

  /**
   * From now on a connection ends with its last reply, also where that began too early to say so: another request on
   * it would be refused, on a new one it may be served elsewhere.
   */
  closeWhenIdle(): void {
    this.#closesWhenIdle = true;
  }

  /** The one that is served on a connection. */
  exchangeOn(socket: Socket): Exchange | undefined {
    return this.#open.get(socket)?.exchange;
  }

  /** Resolves once no exchange is open. */
  async idle(): Promise<void> {
    if (this.#exchangeCount === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleWaiters.add(resolve);
    await promise;
  }

  /** Gives up whatever is still open; clients are told, each as far as its reply allows. */
  abandonAll(failure: ServiceError): void {
    for (const { exchange } of this.#open.values()) {
      if (exchange === undefined) continue;
      this.closeAfterReply(exchange);
      exchange.abandon(failure);
    }
  }

  /** Cuts whatever is still open, which has failed by that. */
  destroyAll(failure?: ServiceError): void {
    for (const connection of this.#open.values()) {
      const { exchange } = connection;
      if (exchange !== undefined) exchange.failure ??= failure;
      connection.cut();
    }
  }

  [Symbol.dispose](): void {
    this.#checking[Symbol.dispose]();
  }

  /**
   * Cuts one connection a turn of the event loop. Node makes an error, with its stack, of each request that it has
   * parsed of one: two dozen of 200 connections would take a fifth of a second at once.
   */
  #cutNext(): void {
    this.#toCut.shift()?.cut();
    if (this.#toCut.length > 0) setImmediate(() => this.#cutNext());
  }

  #checkStalls(): void {
    const now = performance.now();
    for (const connection of this.#open.values()) connection.giveUpIfStalled(now);
  }

  #noteClosed(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    connection.ignoreWhatComes();
    const { exchange } = connection;
    if (exchange === undefined) return;
    exchange.leave();
    this.#finish(exchange);
  }

  #end(socket: Socket, exchange: Exchange): void {
    const connection = this.#open.get(socket);
    // False when the socket closed first.
    if (connection?.remove(exchange) !== true) return;
    if (this.#closesWhenIdle) connection.closeIfIdle();
    this.#finish(exchange);
  }

  #finish(exchange: Exchange): void {
    this.#exchangeCount -= 1;
    this.#onEnd(exchange);
    if (this.#exchangeCount > 0) return;
    for (const resolve of this.#idleWaiters) resolve();
    this.#idleWaiters.clear();
  }
}
