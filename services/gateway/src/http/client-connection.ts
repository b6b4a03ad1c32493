import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { discardUnparsed } from './discard-unparsed.ts';
import type { Exchange } from './exchange.ts';
import { breakConnection } from './reply-channel.ts';
import { takenBytes } from './taken-bytes.ts';

/** A connection whose client takes none of what is waiting for it, for this long, is given up. */
const STALL_MS = 30_000;
/** Requests that may wait on a connection while one is served. One more closes the connection. */
const WAITING_LIMIT = 8;
/** Left to a client after the last reply to notice it and to stop sending. */
const LINGER_MS = 2_000;
/** Left to one that is still sending the body of the request which it answers: some read nothing until that is out. */
const LONGEST_LINGER_MS = 30_000;

/** One connection of a client. Its requests are served one at a time, in their order. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #onDropped: () => void;
  /** Of the request that is served. */
  #exchange: Exchange | undefined;
  /** Begin the requests behind it. */
  readonly #waiting: (() => void)[] = [];
  /** The request that came last. */
  #latest: IncomingMessage | undefined;
  #closing = false;
  #dropped = false;
  /** Requests that came after it was said that they get no reply. Node keeps them for as long as the connection. */
  #ignored = 0;
  /** The last reply is out. */
  #lingers = false;
  #isParsed = true;
  /** At the last look with something unsent. What the first look finds is no stall yet. */
  #takenBytes: number | undefined;
  #progressAt = 0;

  constructor(socket: Socket, onDropped: () => void) {
    this.#socket = socket;
    this.#onDropped = onDropped;
  }

  /** Of the request that is served. */
  get exchange(): Exchange | undefined {
    return this.#exchange;
  }

  /** The request that came last. */
  get latest(): IncomingMessage | undefined {
    return this.#latest;
  }

  /** What comes from the client now has no meaning any more. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Whether every request that has come is answered, so that an error reply may be written to the socket. */
  get isIdle(): boolean {
    return !this.#isServing && !this.#closing && this.#latest?.complete !== false;
  }

  /** Begins a request: now, or once the replies before its own are out. */
  accept(request: IncomingMessage, begin: () => void): void {
    if (this.#socket.destroyed) return;
    if (this.#closing) {
      this.#ignoreRequest();
      return;
    }
    this.#latest = request;
    if (!this.#isServing) {
      begin();
      return;
    }
    this.#waiting.push(begin);
    if (this.#waiting.length > WAITING_LIMIT) this.#drop();
  }

  /** From now on it is the one that is served. */
  add(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  /** It is answered. False when it was not served here. */
  remove(exchange: Exchange): boolean {
    if (this.#exchange !== exchange) return false;
    this.#exchange = undefined;
    // Not at once: a client that sends without a pause would have this turn of the event loop for itself.
    if (this.#waiting.length > 0) setImmediate(() => this.#waiting.shift()?.());
    return true;
  }

  /** Whatever else the client sends has no meaning. */
  ignoreWhatComes(): void {
    this.#closing = true;
    this.#waiting.length = 0;
  }

  /**
   * Makes the reply to the request that is served the last one. Node would close at once after it, and a client that
   * is still sending would get a reset in place of the reply.
   */
  closeAfterReply(): void {
    this.ignoreWhatComes();
    this.#socket.destroySoon = () => this.#linger();
  }

  /** Ends it unless a reply is under way. Requests that wait have better chances on a new connection. */
  closeIfIdle(): void {
    if (this.#exchange !== undefined || this.#closing) return;
    this.ignoreWhatComes();
    this.#linger();
  }

  /** To be called every now and then. */
  giveUpIfStalled(now: number): void {
    const socket = this.#socket;
    // Of most there is nothing on its way, and how much was taken is a question to the system's side of the socket.
    if (socket.writableLength === 0) {
      this.#progressAt = now;
      return;
    }
    const taken = takenBytes(socket);
    if (taken !== this.#takenBytes) {
      this.#takenBytes = taken;
      this.#progressAt = now;
    } else if (now - this.#progressAt >= STALL_MS) this.cut();
  }

  /** Cuts it, so that no client takes the part of a reply that it has for all of it. */
  cut(): void {
    this.ignoreWhatComes();
    if (this.#exchange === undefined) this.#socket.destroy();
    else breakConnection(this.#exchange.response);
  }

  get #isServing(): boolean {
    return this.#exchange !== undefined || this.#waiting.length > 0;
  }

  #ignoreRequest(): void {
    this.#ignored += 1;
    if (!this.#lingers) {
      if (this.#ignored > WAITING_LIMIT) this.#drop();
    } else if (this.#isParsed) {
      // Once. Node keeps each request that it parses, and lets go of them in a time that grows with their square.
      this.#isParsed = false;
      discardUnparsed(this.#socket);
    }
  }

  /** Too many requests came at once. To be cut soon; until then nothing more is parsed. */
  #drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.ignoreWhatComes();
    // Not paused: Node resumes its socket at the end of each request that it parses.
    discardUnparsed(this.#socket);
    this.#onDropped();
  }

  /** Ends our side, and reads the client's to nowhere until it ends too, or for a short time. */
  #linger(): void {
    const socket = this.#socket;
    const since = performance.now();
    let read = socket.bytesRead;
    this.#lingers = true;
    socket.end();
    const timer = setInterval(() => {
      const isSending = this.#latest?.complete === false && socket.bytesRead > read;
      read = socket.bytesRead;
      if (!isSending || performance.now() - since >= LONGEST_LINGER_MS) socket.destroy();
    }, LINGER_MS).unref();
    socket.once('close', () => clearInterval(timer));
    socket.resume();
  }
}
