import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface EventStreamSettings {
  /**
   * Size of the pieces of the body in bytes. A cut can be inside a character or a line. If it is not set, each event is
   * one piece.
   */
  readonly splitBytes?: number | undefined;
  readonly lineEnd: '\n' | '\r\n';
  /** Whether a comment precedes every event. */
  readonly comments: boolean;
}

/**
 * A body of server-sent events. `event` collects events, and `flush` sends all of them in one write.
 *
 * If the response has a socket, the stream writes the chunks of the transfer encoding to the socket itself. In
 * measurements, that took half of the CPU time of `response.write`. A pipelined response has no socket until the earlier
 * responses of its connection are sent, so it uses `response.write`.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #settings: EventStreamSettings;
  readonly #separator: string;
  readonly #socket: Socket | undefined;
  #pending = '';

  constructor(response: ServerResponse, settings: EventStreamSettings) {
    this.#response = response;
    this.#settings = settings;
    this.#separator = settings.lineEnd + settings.lineEnd;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // vLLM sends the status before the first token, even while the request waits.
    response.flushHeaders();
    const { socket } = response;
    this.#socket = socket !== null && response.chunkedEncoding ? socket : undefined;
  }

  get blocked(): boolean {
    return (this.#socket ?? this.#response).writableNeedDrain;
  }

  /** Calls `resume` when more data can be written. */
  onceDrained(resume: () => void): void {
    (this.#socket ?? this.#response).once('drain', resume);
  }

  cancelOnceDrained(resume: () => void): void {
    (this.#socket ?? this.#response).off('drain', resume);
  }

  /** Adds a `data: …` line, after an `event: …` line when there is a name. */
  event(data: string, name?: string): void {
    const { comments, lineEnd } = this.#settings;
    let text = comments ? `: still here${this.#separator}` : '';
    if (name !== undefined) text += `event: ${name}${lineEnd}`;
    this.#add(`${text}data: ${data}${this.#separator}`);
  }

  /** Adds an event. If it goes to the socket in one piece, it becomes a chunk of the transfer encoding here. */
  #add(text: string): void {
    if (this.#socket === undefined || this.#settings.splitBytes !== undefined) {
      this.#pending += text;
      return;
    }
    this.#pending += `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  }

  flush(): void {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    const { splitBytes } = this.#settings;
    if (splitBytes !== undefined) this.#writeSplit(Buffer.from(text), splitBytes);
    else if (this.#socket === undefined) this.#response.write(text);
    else this.#socket.write(text);
  }

  /** Each piece is its own chunk of the transfer encoding, so that clients receive the pieces separately. */
  #writeSplit(bytes: Buffer, size: number): void {
    const framed: Buffer[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      const piece = bytes.subarray(start, start + size);
      if (this.#socket === undefined) this.#response.write(piece);
      else framed.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, crlf);
    }
    this.#socket?.write(Buffer.concat(framed));
  }

  end(): void {
    // Corked, so that the last events and the end of the body are sent in one write.
    this.#socket?.cork();
    this.flush();
    this.#response.end();
    this.#socket?.uncork();
  }

  /** Breaks the connection without the end of the body. */
  cut(): void {
    this.flush();
    const connection = this.#socket ?? this.#response.socket;
    // `destroySoon` sends the pending data before it closes the connection.
    if (connection === null) this.#response.destroy();
    else connection.destroySoon();
  }
}

const crlf = Buffer.from('\r\n');
