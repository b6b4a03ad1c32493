import { connect, type Socket } from 'node:net';
import { ReplyReader, type ReplyEnd } from './reply-reader.ts';

export interface WireListener {
  /** More events of a reply have arrived. `events` is their number. */
  progressed(events: number, connection: WireConnection): void;
  firstToken(connection: WireConnection): void;
  ended(connection: WireConnection, end: ReplyEnd): void;
  /** The connection is closed. An open reply has been reported as ended before. */
  closed(connection: WireConnection): void;
}

// Each read is handled before the next one, so one buffer can serve all connections.
const sharedBuffer = Buffer.allocUnsafe(262_144);

/** One HTTP connection on a plain socket. Requests are sent as prepared bytes. */
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
        buffer: sharedBuffer,
        callback: (length) => {
          this.#read(sharedBuffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#closed());
  }

  /** When the latest request was sent. */
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
