const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const EMPTY = Buffer.alloc(0);
const BYTE_ORDER_MARK = '\uFEFF';

/** More than a runtime puts on one line: a server that sends no line ends must not fill the memory. */
const LONGEST_LINE_BYTES = 8 * 1024 * 1024;

export class MalformedStreamError extends Error {
  override readonly name = 'MalformedStreamError';
}

export interface ServerSentEvent {
  /** `message` unless the server named it. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events from bytes that are cut anywhere. Lines are decoded only when they are whole, all of a read
 * at once, so a character split between two reads stays whole too. Comments and unknown fields are passed over.
 */
export class ServerSentEventParser {
  readonly #onEvent: (event: ServerSentEvent) => void;
  #rest: Buffer = EMPTY;
  #skipLineFeed = false;
  #first = true;
  #event = '';
  #data: string | undefined;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#onEvent = onEvent;
  }

  push(bytes: Buffer): void {
    // What was kept holds no line end.
    const linesEnd = endOfLines(bytes);
    const end = linesEnd === 0 ? 0 : this.#rest.length + linesEnd;
    const chunk = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (end > 0) this.#lines(chunk.toString('utf8', 0, end));
    // A copy: a view would keep the whole read alive.
    this.#rest = end === chunk.length ? EMPTY : Buffer.from(chunk.subarray(end));
    if (this.#rest.length > LONGEST_LINE_BYTES) {
      throw new MalformedStreamError('a line is too long');
    }
  }

  /** The connection has ended: what still waits for its line end or its empty line is taken as it is. */
  end(): void {
    const line = this.#rest.toString('utf8');
    this.#rest = EMPTY;
    if (line !== '') this.#line(line);
    this.#dispatch();
  }

  /** Takes whole lines, of which the first may be the rest of a line end that was cut in two. */
  #lines(text: string): void {
    let start = this.#skipLineFeed && text.startsWith('\n') ? 1 : 0;
    this.#skipLineFeed = text.endsWith('\r');
    let returnAt = text.indexOf('\r', start);
    while (start < text.length) {
      const feedAt = text.indexOf('\n', start);
      if (returnAt !== -1 && returnAt < start) returnAt = text.indexOf('\r', start);
      const end = earlier(feedAt, returnAt);
      this.#line(text.slice(start, end));
      start = end === returnAt && feedAt === end + 1 ? feedAt + 1 : end + 1;
    }
  }

  #line(line: string): void {
    const text = this.#first && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    this.#first = false;
    if (text === '') {
      this.#dispatch();
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? text : text.slice(0, colon);
    const valueAt = text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
    const value = colon === -1 ? '' : text.slice(valueAt);
    if (field === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#event = value;
    // Older llama.cpp servers write errors as a field of that name.
    else if (field === 'error') {
      this.#event = 'error';
      this.#data = value;
    }
  }

  #dispatch(): void {
    const event = this.#event === '' ? 'message' : this.#event;
    const data = this.#data;
    this.#event = '';
    this.#data = undefined;
    // An empty one keeps a connection alive, and is no event.
    if (data !== undefined && data !== '') this.#onEvent({ event, data });
  }
}

/** Behind the last line end; 0 where there is none. A read mostly ends with one. */
function endOfLines(bytes: Buffer): number {
  if (bytes[bytes.length - 1] === LINE_FEED) return bytes.length;
  return Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN)) + 1;
}

function earlier(first: number, second: number): number {
  if (first === -1) return second;
  return second === -1 ? first : Math.min(first, second);
}
