import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '@sluice/devkit';

/** A client that sends exactly the given bytes. */
export class RawClient implements AsyncDisposable {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (piece: Buffer) => {
      this.#received = Buffer.concat([this.#received, piece]);
    });
    // Tests check how the connection ended, so an error of the socket is not thrown.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
    });
  }

  /** With `allowHalfOpen` it can go on sending after the server has ended its side. */
  static async connect(port: number, { allowHalfOpen = false } = {}): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  get received(): string {
    return this.#received.toString('utf8');
  }

  get closed(): boolean {
    return this.#closed;
  }

  send(...pieces: (string | Uint8Array)[]): void {
    for (const piece of pieces) this.socket.write(piece);
  }

  async waitFor(text: string): Promise<string> {
    await waitUntil(() => this.received.includes(text), { what: `"${text}" to arrive` });
    return this.received;
  }

  async waitForClose(): Promise<string> {
    await waitUntil(() => this.#closed, { what: 'the connection to close' });
    return this.received;
  }

  /** The first reply: its head, and its body by its length. */
  async reply(): Promise<RawReply> {
    return waitUntil(() => parseReply(this.received), { what: 'a whole reply' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await waitUntil(() => this.#closed, { what: 'the connection to close' });
  }
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function parseReply(text: string): RawReply | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers['content-length'] ?? 0);
  const rest = Buffer.from(text.slice(end + 4));
  if (rest.length < length) return undefined;
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: rest.subarray(0, length).toString('utf8'),
  };
}

/** The status lines of all received replies. */
export function statusLines(text: string): string[] {
  return text.match(/HTTP\/1\.1 \d+/g) ?? [];
}
