import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '@sluice/contracts';
import { checkRegularly } from '@sluice/timing';
import { ClientConnection } from './client-connection.ts';
import { Exchange } from './exchange.ts';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Where a request keeps its exchange. Not in a WeakMap: once its table is old, every exchange in it that
 * holds its own request counts as alive to the collections of the young generation.
 */
const exchangeOfRequest = Symbol('exchange');

type ExchangedMessage = IncomingMessage & { [exchangeOfRequest]?: Exchange };

/**
 * Which exchanges are open on which connection. Node tells a request that waits behind
 * another on the same connection nothing when its client leaves; a socket's own close does.
 */
export class Connections implements Disposable {
  readonly #open = new Map<Socket, ClientConnection>();
  readonly #apiRoot: string;
  readonly #onEnd: (exchange: Exchange) => void;
  readonly #idleWaiters = new Set<() => void>();
  readonly #checking: Disposable;
  #exchangeCount = 0;
  #closesWhenIdle = false;

  constructor(apiRoot: string, onEnd: (exchange: Exchange) => void) {
    this.#apiRoot = apiRoot;
    this.#onEnd = onEnd;
    this.#checking = checkRegularly(() => this.#checkStalls(), {
      everyMs: CHECK_INTERVAL_MS,
      clock: () => performance.now(),
    });
  }

  get exchangeCount(): number {
    return this.#exchangeCount;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, new ClientConnection(socket));
      socket.once('close', () => this.#noteClosed(socket));
    });
  }

  begin(request: ExchangedMessage, response: ServerResponse): Exchange {
    const exchange = new Exchange({ request, response, apiRoot: this.#apiRoot });
    request[exchangeOfRequest] = exchange;
    this.#exchangeCount += 1;
    this.#open.get(request.socket)?.add(exchange);
    response.once('finish', () => this.#end(request.socket, exchange));
    return exchange;
  }

  /** Runs it now, or once enough of those before it on the connection are answered. */
  start({ request }: Exchange, run: () => void): void {
    this.#open.get(request.socket)?.start(run);
  }

  /**
   * Ignores a request behind the last one of its connection that gets a reply; one that comes behind too many makes
   * the one before it the last, if it can still be told so. Too many such requests stop the reading. False if the request
   * is to be served.
   */
  turnAwayIfLate({ socket }: IncomingMessage): boolean {
    const connection = this.#open.get(socket);
    if (connection?.closing === false) {
      if (!connection.overflows) return false;
      this.#closeAfterLast(connection);
    }
    connection?.ignoreRequest();
    return true;
  }

  /** Whether nothing that comes on this connection has a meaning any more. */
  isClosing(socket: Socket): boolean {
    return this.#open.get(socket)?.closing ?? true;
  }

  /** Whether a reply was sent to the latest request although not all of it has come. */
  answeredEarly(socket: Socket): boolean {
    return this.#open.get(socket)?.answeredEarly ?? false;
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
    this.#open.get(request.socket)?.closeAfterReplyTo(request);
  }

  /** Makes every reply that has not begun the last one of its connection. */
  closeAfterReplies(): void {
    for (const connection of this.#open.values()) this.#closeAfterLast(connection);
  }

  /**
   * From now on a connection ends with its last reply, also where that began too early to say so: another request on
   * it would be refused, on a new one it may be served elsewhere.
   */
  closeWhenIdle(): void {
    this.#closesWhenIdle = true;
  }

  exchangeOf(request: ExchangedMessage): Exchange {
    const exchange = request[exchangeOfRequest];
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

  /** Gives up whatever is still open; clients are told, each as far as its reply allows. */
  abandonAll(failure: ServiceError): void {
    for (const { exchanges } of this.#open.values()) {
      const last = [...exchanges].at(-1);
      if (last !== undefined) this.closeAfterReply(last);
      for (const exchange of exchanges) exchange.abandon(failure);
    }
  }

  /** Cuts whatever is still open, which has failed by that. */
  destroyAll(failure?: ServiceError): void {
    for (const connection of this.#open.values()) {
      for (const exchange of connection.exchanges) exchange.failure ??= failure;
      connection.cut();
    }
  }

  [Symbol.dispose](): void {
    this.#checking[Symbol.dispose]();
  }

  #closeAfterLast({ exchanges }: ClientConnection): void {
    const last = [...exchanges].at(-1);
    if (last?.response.headersSent === false) this.closeAfterReply(last);
  }

  #checkStalls(): void {
    const now = performance.now();
    for (const connection of this.#open.values()) connection.giveUpIfStalled(now);
  }

  #noteClosed(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    connection.forgetWaiting();
    for (const exchange of connection.exchanges) {
      exchange.leave();
      this.#finish(exchange);
    }
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
