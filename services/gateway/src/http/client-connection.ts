import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { discardUnparsed } from './discard-unparsed.ts';
import type { Exchange } from './exchange.ts';
import { breakConnection } from './reply-channel.ts';
import { takenBytes } from './taken-bytes.ts';

/** A connection whose client takes none of what is waiting for it, for this long, is given up. */
const STALL_MS = 30_000;
/** Requests of one connection that are worked on at once; more wait. */
const PIPELINE_LIMIT = 32;
/** Requests that may wait besides. With more of them nothing is read any more, not even that the client has left. */
const WAITING_LIMIT = 256;
/** One read may bring thousands of requests. Beyond so many, what comes is not answered on this connection. */
const OPEN_LIMIT = 512;
/** Left to a client after the last reply to notice it and to stop sending. */
const LINGER_MS = 2_000;
/** Left to one that is still sending the body of the request which it answers: some read nothing until that is out. */
const LONGEST_LINGER_MS = 30_000;

/** One connection of a client: which of its requests are worked on, which wait, and whether more is read. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #exchanges = new Set<Exchange>();
  /** Starts those among them that have not been started. */
  readonly #waiting: (() => void)[] = [];
  /** Whether some of them will be started in the next turn of the event loop. */
  #starting = false;
  /** Whether there have ever been too many of them. */
  #heldBack = false;
  /** Requests that came too late to be answered; Node keeps them for as long as the connection. */
  #late = 0;
  /** The request that came last. */
  #latest: IncomingMessage | undefined;
  #closing = false;
  /** The last reply is out. */
  #lingers = false;
  #isParsed = true;
  /** At the last look with something unsent. What the first look finds is no stall yet. */
  #takenBytes: number | undefined;
  #progressAt = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Those that have not been answered in full, in the order of their requests. */
  get exchanges(): ReadonlySet<Exchange> {
    return this.#exchanges;
  }

  get overflows(): boolean {
    return this.#exchanges.size >= OPEN_LIMIT;
  }

  /** What comes from the client now has no meaning any more. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Whether a reply was sent to the latest request although not all of it has come. */
  get answeredEarly(): boolean {
    return this.#exchanges.size === 0 && this.#latest?.complete === false;
  }

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange);
    this.#latest = exchange.request;
  }

  /** Runs what was added last: now, or once enough of those before it are answered. */
  start(run: () => void): void {
    if (this.#waiting.length === 0 && this.#exchanges.size <= PIPELINE_LIMIT) run();
    else {
      this.#waiting.push(run);
      if (this.#isFull()) this.#holdBack();
    }
  }

  /** It is answered. False when it was not open here. */
  remove(exchange: Exchange): boolean {
    if (!this.#exchanges.delete(exchange)) return false;
    if (this.#waiting.length > 0 && !this.#starting) {
      this.#starting = true;
      // Not at once: a client that sends without a pause would have this turn of the event loop for itself.
      setImmediate(() => this.#startWaiting());
    }
    return true;
  }

  /** A request has come that gets no reply. */
  ignoreRequest(): void {
    this.#late += 1;
    if (this.#lingers && this.#isParsed) {
      // Once. Node keeps each request that it parses, and lets go of them in a time that grows with their square.
      this.#isParsed = false;
      discardUnparsed(this.#socket);
    }
    if (this.#isFull()) this.#holdBack();
  }

  ignoreWhatComes(): void {
    this.#closing = true;
  }

  /**
   * Makes the reply to this request the last one. Node would close at once after it, and a client that is
   * still sending would get a reset in place of the reply.
   */
  closeAfterReplyTo(request: IncomingMessage): void {
    this.#closing = true;
    this.#socket.destroySoon = () => this.#linger();
    if (this.#latest === request) return;
    // Those that wait behind it can get no reply, and are not begun.
    this.#late += this.#waiting.length;
    this.forgetWaiting();
  }

  closeIfIdle(): void {
    if (this.#exchanges.size > 0 || this.#closing) return;
    this.#closing = true;
    this.#linger();
  }

  forgetWaiting(): void {
    this.#waiting.length = 0;
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
    const [first] = this.#exchanges;
    if (first === undefined) this.#socket.destroy();
    else breakConnection(first.response);
  }

  #isFull(): boolean {
    // After the last reply there is little time, in which all is read that comes.
    return !this.#lingers && this.#waiting.length + this.#late > WAITING_LIMIT;
  }

  #holdBack(): void {
    this.#socket.pause();
    if (this.#heldBack) return;
    this.#heldBack = true;
    // Node resumes it after each reply.
    this.#socket.on('resume', () => {
      if (this.#isFull()) this.#socket.pause();
    });
  }

  #startWaiting(): void {
    this.#starting = false;
    const wasFull = this.#isFull();
    while (
      this.#waiting.length > 0 &&
      this.#exchanges.size - this.#waiting.length < PIPELINE_LIMIT
    ) {
      this.#waiting.shift()?.();
    }
    if (wasFull && !this.#isFull()) this.#socket.resume();
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
