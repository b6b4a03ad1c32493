import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '@sluice/contracts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { breakConnection } from './reply-channel.ts';

/** A connection whose client takes none of what is waiting for it, for this long, is given up. */
const STALL_MS = 30_000;
const CHECK_INTERVAL_MS = 1_000;
/** Requests of one connection that are worked on at once; more wait. */
const PIPELINE_LIMIT = 32;
/** With more than that unanswered besides, nothing is read any more; up to there, a client that leaves is noticed. */
const WAITING_LIMIT = 256;
/** Left to a client after the last reply to notice it and to stop sending. */
const LINGER_MS = 2_000;

/**
 * Where a request keeps its exchange. Not in a WeakMap: once its table is old, every exchange in it that
 * holds its own request counts as alive to the collections of the young generation.
 */
const exchangeOfRequest = Symbol('exchange');

type ExchangedMessage = IncomingMessage & { [exchangeOfRequest]?: Exchange };

interface Connection {
  readonly exchanges: Set<Exchange>;
  /** Those among them that have not been started. */
  readonly waiting: (() => void)[];
  /** Whether some of them will be started in the next turn of the event loop. */
  starting: boolean;
  /** Whether there have ever been too many of them. */
  heldBack: boolean;
  /** How many came behind the last one that is answered; Node keeps them for as long as the connection. */
  late: number;
  /** The request that came last. */
  latest: IncomingMessage | undefined;
  /** What comes from the client now has no meaning any more. */
  closing: boolean;
  sentBytes: number;
  progressAt: number;
}

/**
 * Which exchanges are open on which connection. Node tells a request that waits behind
 * another on the same connection nothing when its client leaves; a socket's own close does.
 */
export class Connections implements Disposable {
  readonly #open = new Map<Socket, Connection>();
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
      this.#open.set(socket, {
        exchanges: new Set(),
        waiting: [],
        starting: false,
        heldBack: false,
        late: 0,
        latest: undefined,
        closing: false,
        sentBytes: 0,
        progressAt: 0,
      });
      socket.once('close', () => this.#close(socket));
    });
  }

  begin(request: ExchangedMessage, response: ServerResponse): Exchange {
    const options: ExchangeOptions = { request, response, apiRoot: this.#apiRoot };
    const exchange = new Exchange(options);
    request[exchangeOfRequest] = exchange;
    this.#exchangeCount += 1;
    const connection = this.#open.get(request.socket);
    connection?.exchanges.add(exchange);
    if (connection !== undefined) connection.latest = request;
    response.once('finish', () => this.#end(request.socket, exchange));
    return exchange;
  }

  /** Runs it now, or once enough of those before it on the connection are answered. */
  start({ request }: Exchange, run: () => void): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    const { exchanges, waiting } = connection;
    if (waiting.length === 0 && exchanges.size <= PIPELINE_LIMIT) run();
    else {
      waiting.push(run);
      if (isFull(connection)) holdBack(connection, request.socket);
    }
  }

  /** Whether a request gets no reply, since it came behind the last one of its connection that does. */
  isLate({ socket }: IncomingMessage): boolean {
    const connection = this.#open.get(socket);
    if (connection?.closing === false) return false;
    if (connection !== undefined) {
      connection.late += 1;
      if (isFull(connection)) holdBack(connection, socket);
    }
    return true;
  }

  /** Whether nothing that comes on this connection has a meaning any more. */
  isClosing(socket: Socket): boolean {
    return this.#open.get(socket)?.closing ?? true;
  }

  /** Whether a reply was sent to the latest request although not all of it has come. */
  answeredEarly(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    return connection?.exchanges.size === 0 && connection.latest?.complete === false;
  }

  close(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.closing = true;
  }

  /**
   * Makes the reply the last one of its connection. Node would close at once after it, and
   * a client that is still sending would get a reset in place of the reply.
   */
  closeAfterReply({ request, headers }: Exchange): void {
    headers['connection'] = 'close';
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.closing = true;
    socket.destroySoon = () => linger(connection, socket);
    if (connection.latest === request) return;
    // Those that wait behind it can get no reply, and are not begun.
    connection.late += connection.waiting.length;
    connection.waiting.length = 0;
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
    for (const [socket, { exchanges }] of this.#open) {
      for (const exchange of exchanges) exchange.failure ??= failure;
      const [first] = exchanges;
      if (first === undefined) socket.destroy();
      else breakConnection(first.response);
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
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    connection.waiting.length = 0;
    for (const exchange of connection.exchanges) {
      exchange.leave();
      this.#finish(exchange);
    }
  }

  #end(socket: Socket, exchange: Exchange): void {
    // False when the socket closed first.
    const connection = this.#open.get(socket);
    if (connection?.exchanges.delete(exchange) !== true) return;
    this.#finish(exchange);
    if (connection.waiting.length === 0 || connection.starting) return;
    connection.starting = true;
    // Not at once: a client that sends without a pause would have this turn of the event loop for itself.
    setImmediate(() => startWaiting(connection, socket));
  }

  #finish(exchange: Exchange): void {
    this.#exchangeCount -= 1;
    this.#onEnd(exchange);
    if (this.#exchangeCount > 0) return;
    for (const resolve of this.#idleWaiters) resolve();
    this.#idleWaiters.clear();
  }
}

function isFull({ waiting, late }: Connection): boolean {
  return waiting.length + late > WAITING_LIMIT;
}

function holdBack(connection: Connection, socket: Socket): void {
  socket.pause();
  if (connection.heldBack) return;
  connection.heldBack = true;
  // Node resumes it after each reply.
  socket.on('resume', () => {
    if (isFull(connection)) socket.pause();
  });
}

function startWaiting(connection: Connection, socket: Socket): void {
  connection.starting = false;
  const { exchanges, waiting } = connection;
  const wasFull = isFull(connection);
  while (waiting.length > 0 && exchanges.size - waiting.length < PIPELINE_LIMIT) {
    waiting.shift()?.();
  }
  if (wasFull && !isFull(connection)) socket.resume();
}

/** Ends our side, and reads the client's to nowhere until it ends too, or for a short time. */
function linger(connection: Connection, socket: Socket): void {
  // For so short a time, all is read that comes.
  connection.late = Number.NEGATIVE_INFINITY;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
