import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from '../request/parser-input.ts';
import { breakConnection } from './break-connection.ts';
import { drainThenClose, replaceClose } from './early-reply.ts';
import type { RequestContext } from './request-context.ts';
import type { StartQueue } from './start-queue.ts';

/** How many requests may wait on a connection while one is served. If there are more, the connection is cut. */
const WAITING_LIMIT = 8;

/** One client connection. Its requests are served one at a time, in order. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #starts: StartQueue;
  readonly #onDropped: () => void;
  /** The request being served. */
  #context: RequestContext | undefined;
  /** Callbacks that begin the waiting requests. A request waits for earlier replies, or for the start queue. */
  readonly #waiting: (() => void)[] = [];
  /** The request that arrived last. */
  #latest: IncomingMessage | undefined;
  #closing = false;
  #dropped = false;
  /** Requests that arrived after closing began and get no reply. Node keeps them until the connection ends. */
  #ignored = 0;
  /** The last reply is sent. What the client still sends is read and dropped. */
  #lingers = false;
  #isParsed = true;

  constructor(socket: Socket, starts: StartQueue, onDropped: () => void) {
    this.#socket = socket;
    this.#starts = starts;
    this.#onDropped = onDropped;
  }

  /** The request being served. */
  get context(): RequestContext | undefined {
    return this.#context;
  }

  /** The request that arrived last. */
  get latest(): IncomingMessage | undefined {
    return this.#latest;
  }

  /** Whether further requests are ignored. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Whether there is no unanswered request, so that an error reply may be written directly to the socket. */
  get isIdle(): boolean {
    return !this.#isServing && !this.#closing && this.#latest?.complete !== false;
  }

  /** Begins a request at once, or after the replies to earlier requests. */
  accept(request: IncomingMessage, begin: () => void): void {
    if (this.#socket.destroyed) return;
    if (this.#closing) {
      this.#ignoreRequest();
      return;
    }
    this.#latest = request;
    const isServing = this.#isServing;
    this.#waiting.push(begin);
    if (!isServing) {
      this.#startNext();
      return;
    }
    // While no request is served, the first of the waiting ones is about to be, so it does not count.
    const aboutToStart = this.#context === undefined ? 1 : 0;
    if (this.#waiting.length - aboutToStart > WAITING_LIMIT) this.#drop();
  }

  /** Marks a request as the one being served. */
  beginServing(context: RequestContext): void {
    this.#context = context;
  }

  /** Marks a request as answered. False if it was not the one being served. */
  endServing(context: RequestContext): boolean {
    if (this.#context !== context) return false;
    this.#context = undefined;
    // Deferred, so that a client that pipelines without a pause does not occupy the whole turn of the event loop.
    if (this.#waiting.length > 0) setImmediate(() => this.#startNext());
    return true;
  }

  /** Ignores further requests. */
  stopReading(): void {
    this.#closing = true;
    this.#waiting.length = 0;
  }

  /** Makes the reply to the request being served the last one. */
  closeAfterReply(): void {
    this.stopReading();
    replaceClose(this.#socket, () => this.#drainThenClose());
  }

  /** Closes the connection unless a reply is in progress. Waiting requests may succeed on a new connection. */
  closeIfIdle(): void {
    if (this.#context !== undefined || this.#closing) return;
    this.stopReading();
    this.#drainThenClose();
  }

  /** Cuts the connection so that the client cannot mistake a partial reply for a complete one. */
  cut(): void {
    this.stopReading();
    if (this.#context === undefined) this.#socket.destroy();
    else breakConnection(this.#context.response);
  }

  get #isServing(): boolean {
    return this.#context !== undefined || this.#waiting.length > 0;
  }

  #startNext(): void {
    this.#starts.start(() => this.#waiting.shift()?.());
  }

  #ignoreRequest(): void {
    this.#ignored += 1;
    if (!this.#lingers) {
      if (this.#ignored > WAITING_LIMIT) this.#drop();
    } else if (this.#isParsed) {
      // After the last reply, parsing stops at the first request that follows. Node keeps every parsed request, and
      // later removes them one by one from the front of an array, which takes quadratic time (`abortIncoming` in
      // https://github.com/nodejs/node/blob/v24.0.0/lib/_http_server.js).
      this.#isParsed = false;
      stopParsing(this.#socket);
    }
  }

  /** Too many requests are waiting. The connection is cut soon; until then nothing more is parsed. */
  #drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.stopReading();
    // Pausing the socket does not help: Node resumes it at the end of each request that it parses
    // (`parserOnMessageComplete` in https://github.com/nodejs/node/blob/v24.0.0/lib/_http_common.js).
    stopParsing(this.#socket);
    this.#onDropped();
  }

  #drainThenClose(): void {
    this.#lingers = true;
    drainThenClose(this.#socket, () => this.#latest?.complete === false);
  }
}
