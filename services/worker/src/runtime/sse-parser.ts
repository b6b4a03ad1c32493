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
 * Reads server-sent events from bytes that are cut anywhere. Lines are decoded only when they are whole, so a
 * character split between two reads stays whole too. Comments and unknown fields are passed over.
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

  push(bytes: Uint8Array): void {
    const arrived = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const chunk = this.#rest.length === 0 ? arrived : Buffer.concat([this.#rest, arrived]);
    // What was kept holds no line end, so the search starts behind it.
    let searchFrom = this.#rest.length;
    let start = 0;
    let returnAt = chunk.indexOf(CARRIAGE_RETURN, searchFrom);
    while (true) {
      if (this.#skipLineFeed && start < chunk.length) {
        if (chunk[start] === LINE_FEED) start += 1;
        this.#skipLineFeed = false;
        searchFrom = Math.max(searchFrom, start);
      }
      const feedAt = chunk.indexOf(LINE_FEED, searchFrom);
      if (returnAt !== -1 && returnAt < searchFrom) {
        returnAt = chunk.indexOf(CARRIAGE_RETURN, searchFrom);
      }
      const end = earlier(feedAt, returnAt);
      if (end === -1) break;
      this.#line(chunk.toString('utf8', start, end));
      this.#skipLineFeed = chunk[end] === CARRIAGE_RETURN;
      start = end + 1;
      searchFrom = start;
    }
    // A copy: a view would keep the whole read alive.
    this.#rest = start === chunk.length ? EMPTY : Buffer.from(chunk.subarray(start));
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
    if (data !== undefined) this.#onEvent({ event, data });
  }
}

function earlier(first: number, second: number): number {
  if (first === -1) return second;
  return second === -1 ? first : Math.min(first, second);
}
