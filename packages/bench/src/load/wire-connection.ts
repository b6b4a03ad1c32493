import { connect, type Socket } from 'node:net';
import { ReplyReader, type ReplyEnd } from './reply-reader.ts';

export interface WireListener {
  /** So many more events of a reply came. */
  progressed(events: number, connection: WireConnection): void;
  firstToken(connection: WireConnection): void;
  ended(connection: WireConnection, end: ReplyEnd): void;
  /** The connection is gone; a reply that was under way has been reported as ended. */
  closed(connection: WireConnection): void;
}

// Every read is handled before the next one, so that one buffer serves all connections.
const shared = Buffer.allocUnsafe(262_144);

/** One HTTP connection on a bare socket: a request is bytes that were made beforehand. */
export class WireConnection {
  readonly #socket: Socket;
  readonly #listener: WireListener;
  readonly #reader = new ReplyReader();
  #sentAt = 0;
  #busy = false;

  constructor({ host, port }: { host: string; port: number }, listener: WireListener) {
    this.#listener = listener;
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (length) => {
          this.#read(shared.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#closed());
  }

  /** When the request under way, or the last one, was sent. */
  get sentAt(): number {
    return this.#sentAt;
  }

  send(request: Buffer): void {
    this.#busy = true;
    this.#reader.reset();
    this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const reader = this.#reader;
    const { events, started } = reader;
    const end = reader.read(bytes);
    if (reader.started && !started) this.#listener.firstToken(this);
    if (reader.events > events) this.#listener.progressed(reader.events - events, this);
    if (end !== undefined) this.#end(end);
  }

  #end(end: ReplyEnd): void {
    this.#busy = false;
    this.#listener.ended(this, end);
  }

  #closed(): void {
    if (this.#busy) {
      this.#end(this.#reader.breakOff() ?? { status: 0, complete: false });
    }
    this.#listener.closed(this);
  }
}

/** The bytes of one request. */
export function requestBytes(
  target: {
    readonly host: string;
    readonly port: number;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  },
  body: string,
): Buffer {
  const headers = {
    host: `${target.host}:${target.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...target.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
