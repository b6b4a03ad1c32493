import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface EventStreamSettings {
  /** Bytes in one piece of the body, to cut inside characters and lines; whole events without it. */
  readonly splitBytes?: number | undefined;
  readonly lineEnd: '\n' | '\r\n';
  /** Whether a comment comes before every event. */
  readonly comments: boolean;
}

/**
 * A body of server-sent events. What is added during one turn leaves in one write. The chunks of
 * the transfer encoding are framed here and go straight to the socket, which costs half of what
 * `response.write` does; under pipelining there is no socket yet and the response does it all.
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
    // vLLM answers with its status before the first token, even while the request waits.
    response.flushHeaders();
    const { socket } = response;
    this.#socket = socket !== null && response.chunkedEncoding ? socket : undefined;
  }

  get blocked(): boolean {
    return (this.#socket ?? this.#response).writableNeedDrain;
  }

  onceDrained(resume: () => void): void {
    (this.#socket ?? this.#response).once('drain', resume);
  }

  forget(resume: () => void): void {
    (this.#socket ?? this.#response).off('drain', resume);
  }

  /** Adds `data: …`, after an `event: …` line where a name is given. */
  event(data: string, name?: string): void {
    const { comments, lineEnd } = this.#settings;
    let text = comments ? `: still here${this.#separator}` : '';
    if (name !== undefined) text += `event: ${name}${lineEnd}`;
    this.#add(`${text}data: ${data}${this.#separator}`);
  }

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

  /** A piece is a chunk of the transfer encoding, which a client receives as such. */
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
    // Held together, so that the last events and the end of the body are one write.
    this.#socket?.cork();
    this.flush();
    this.#response.end();
    this.#socket?.uncork();
  }

  /** Breaks the connection off without the mark that ends a body. */
  cut(): void {
    this.flush();
    const connection = this.#socket ?? this.#response.socket;
    // Ending the writing first lets what was sent before the cut arrive.
    if (connection === null) this.#response.destroy();
    else connection.destroySoon();
  }
}

const crlf = Buffer.from('\r\n');
