import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { breakWhenSent } from '../edge/break-connection.ts';

const CRLF = Buffer.from('\r\n');

/** Writes bytes into `target` at `offset` and returns the offset after them. */
export type Render = (target: Buffer, offset: number) => number;

/** Writes the body of a streamed reply to the client. */
export interface ReplyChannel {
  /** Bytes that are buffered for the client. A write counts in full until all of it is sent. */
  readonly heldBytes: number;
  /** Writes a piece of `size` bytes, rendered directly into the buffer that is sent. */
  write(size: number, render: Render): void;
  /** Writes the last piece and the end of the body in one write, so that a client receives both or neither. */
  end(size: number, render: Render): void;
  /** Breaks the connection once the written bytes are sent, or after `limitMs`. The body gets no proper end. */
  cut(limitMs: number): void;
}

/** Sends the status and headers, and returns the channel for the body. */
export function openReplyChannel(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): ReplyChannel {
  const { socket } = response.req;
  response.writeHead(200, headers);
  // A reply to an HTTP/1.0 client is not chunked: https://www.rfc-editor.org/rfc/rfc9112#section-6.1
  if (!response.chunkedEncoding) return new ResponseChannel(response);
  // Corked, so that the headers are sent together with the first piece of the body.
  socket.cork();
  response.flushHeaders();
  return new ChunkedSocket(response, socket);
}

/** Writes chunks to the socket directly. Measured with Node 24, this costs a third less CPU than `response.write`. */
class ChunkedSocket implements ReplyChannel {
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
    const chunk = Buffer.allocUnsafe(head.length + size + CRLF.length);
    const pieceAt = chunk.write(head, 'latin1');
    const pieceEnd = render(chunk, pieceAt);
    CRLF.copy(chunk, pieceEnd);
    this.#socket.write(chunk);
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
    breakWhenSent(this.#response, limitMs);
  }

  #uncork(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.#socket.uncork();
  }
}

/** Writes the body with Node's own methods, for replies that are not chunked. */
class ResponseChannel implements ReplyChannel {
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
    breakWhenSent(this.#response, limitMs);
  }
}

function rendered(size: number, render: Render): Buffer {
  const piece = Buffer.allocUnsafe(size);
  render(piece, 0);
  return piece;
}
