import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Left to the client between the last bytes and the cut, to read them. */
const READING_MS = 100;

const CRLF = Buffer.from('\r\n');

/** Writes its bytes from an offset on and says where they end. */
export type Render = (target: Buffer, offset: number) => number;

/** The body of a streamed reply, on its way to the client. */
export interface ReplyChannel {
  /** Bytes that are held for the client, a piece until all of it is taken. */
  readonly heldBytes: number;
  /** Of a piece so many bytes long, rendered right where it is sent from. */
  write(size: number, render: Render): void;
  /** The last piece and the proper end of the body, in one write: whoever has the one has the other. */
  end(size: number, render: Render): void;
  /** Cuts the connection once what was written is out, or after that time: never a proper end. */
  cut(limitMs: number): void;
}

/** Sends the status and headers and gives the channel for the body. */
export function openReplyChannel(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): ReplyChannel {
  const { socket } = response.req;
  response.writeHead(200, headers);
  // Where the body is not chunked, Node has to do it.
  if (!response.chunkedEncoding) return new NodeChannel(response);
  // The headers leave with the first piece of the body.
  socket.cork();
  response.flushHeaders();
  return new SocketChannel(response, socket);
}

/** Frames chunks by hand: a third cheaper than `response.write`. */
class SocketChannel implements ReplyChannel {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  #corked = true;

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response;
    this.#socket = socket;
  }

  get heldBytes(): number {
    return this.#socket.writableLength;
  }

  write(size: number, render: Render): void {
    if (!this.#socket.writable) return;
    const head = `${size.toString(16)}\r\n`;
    const frame = Buffer.allocUnsafe(head.length + size + CRLF.length);
    CRLF.copy(frame, render(frame, frame.write(head, 'latin1')));
    this.#socket.write(frame);
    this.#uncork();
  }

  end(size: number, render: Render): void {
    this.#socket.cork();
    this.write(size, render);
    this.#response.end();
    this.#socket.uncork();
  }

  cut(limitMs: number): void {
    this.#uncork();
    cutSocket(this.#socket, limitMs, () => this.#socket.destroy());
  }

  #uncork(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.#socket.uncork();
  }
}

class NodeChannel implements ReplyChannel {
  readonly #response: ServerResponse;
  #isCut = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get heldBytes(): number {
    return this.#response.writableLength;
  }

  write(size: number, render: Render): void {
    if (this.#isCut || !this.#response.writable) return;
    this.#response.write(rendered(size, render));
  }

  end(size: number, render: Render): void {
    if (!this.#isCut) this.#response.end(rendered(size, render));
  }

  cut(limitMs: number): void {
    this.#isCut = true;
    const response = this.#response;
    cutSocket(response.req.socket, limitMs, () => breakConnection(response));
  }
}

function rendered(size: number, render: Render): Buffer {
  const piece = Buffer.allocUnsafe(size);
  render(piece, 0);
  return piece;
}

/** Closes the connection of a reply that is not complete, so that no client takes it for complete. */
export function breakConnection({ req, headersSent, chunkedEncoding }: ServerResponse): void {
  // Without chunks the end of the connection is the end of the body: only a reset tells the difference.
  if (headersSent && !chunkedEncoding) req.socket.resetAndDestroy();
  else req.socket.destroy();
}

function cutSocket(socket: Socket, limitMs: number, close: () => void): void {
  if (limitMs === 0) {
    close();
    return;
  }
  const timer = setTimeout(close, limitMs);
  timer.unref();
  socket.write('', () => {
    clearTimeout(timer);
    // Many clients drop what they have not read yet at the moment a connection breaks.
    setTimeout(close, Math.min(READING_MS, limitMs)).unref();
  });
}
