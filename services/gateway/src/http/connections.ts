import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '@sluice/contracts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

/** A connection whose client takes none of what is waiting for it, for this long, is given up. */
const STALL_MS = 30_000;
const CHECK_INTERVAL_MS = 1_000;

interface Connection {
  readonly exchanges: Set<Exchange>;
  sentBytes: number;
  progressAt: number;
}

/**
 * Which exchanges are open on which connection. Node tells a request that waits behind
 * another on the same connection nothing when its client leaves; a socket's own close does.
 */
export class Connections implements Disposable {
  readonly #open = new Map<Socket, Connection>();
  readonly #exchanges = new WeakMap<IncomingMessage, Exchange>();
  readonly #apiRoot: string;
  readonly #onEnd: (exchange: Exchange) => void;
  readonly #idleWaiters = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #exchangeCount = 0;

  constructor(apiRoot: string, onEnd: (exchange: Exchange) => void) {
    this.#apiRoot = apiRoot;
    this.#onEnd = onEnd;
    this.#timer = setInterval(() => this.#checkStalls(), CHECK_INTERVAL_MS).unref();
  }

  get exchangeCount(): number {
    return this.#exchangeCount;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { exchanges: new Set(), sentBytes: 0, progressAt: 0 });
      socket.once('close', () => this.#close(socket));
    });
  }

  begin(request: IncomingMessage, response: ServerResponse): Exchange {
    const options: ExchangeOptions = { request, response, apiRoot: this.#apiRoot };
    const exchange = new Exchange(options);
    this.#exchanges.set(request, exchange);
    this.#exchangeCount += 1;
    this.#open.get(request.socket)?.exchanges.add(exchange);
    response.once('finish', () => this.#end(request.socket, exchange));
    return exchange;
  }

  exchangeOf(request: IncomingMessage): Exchange {
    const exchange = this.#exchanges.get(request);
    if (exchange === undefined) throw new Error('a request came past the server');
    return exchange;
  }

  /** Those that have not been answered in full, in the order of their requests. */
  openOn(socket: Socket): readonly Exchange[] {
    return [...(this.#open.get(socket)?.exchanges ?? [])];
  }

  /** Resolves once no exchange is open. */
  async idle(): Promise<void> {
    if (this.#exchangeCount === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleWaiters.add(resolve);
    await promise;
  }

  /** Cuts whatever is still open, which has failed by that. */
  destroyAll(failure?: ServiceError): void {
    for (const [socket, { exchanges }] of this.#open) {
      for (const exchange of exchanges) exchange.failure ??= failure;
      socket.destroy();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #checkStalls(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const sentBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || sentBytes !== connection.sentBytes) {
        connection.sentBytes = sentBytes;
        connection.progressAt = now;
      } else if (now - connection.progressAt >= STALL_MS) socket.destroy();
    }
  }

  #close(socket: Socket): void {
    const exchanges = this.#open.get(socket)?.exchanges ?? [];
    this.#open.delete(socket);
    for (const exchange of exchanges) {
      exchange.leave();
      this.#finish(exchange);
    }
  }

  #end(socket: Socket, exchange: Exchange): void {
    // False when the socket closed first.
    if (this.#open.get(socket)?.exchanges.delete(exchange) === true) this.#finish(exchange);
  }

  #finish(exchange: Exchange): void {
    this.#exchangeCount -= 1;
    this.#onEnd(exchange);
    if (this.#exchangeCount > 0) return;
    for (const resolve of this.#idleWaiters) resolve();
    this.#idleWaiters.clear();
  }
}
