/** The result of one reply. */
export interface ReplyEnd {
  readonly status: number;
  /** Whether the whole reply arrived and a stream ended with `[DONE]`. */
  readonly complete: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const BODY_END = Buffer.from('\r\n0\r\n\r\n');
const EVENT = Buffer.from('\ndata: ');
const DONE = Buffer.from('data: [DONE]');
const TOKEN = /"content":"[^"]/;
const LONGEST_HEAD = 65_536;
/** How many of the last bytes are kept: enough for the last event, the end of its chunk and the end of the body. */
const TAIL_BYTES = 48;

/**
 * Reads replies from the bytes of one connection at the lowest possible cost. It counts events and finds the end of the
 * reply, and parses nothing else. A load generator that parsed every reply would mostly measure itself.
 */
export class ReplyReader {
  /** Events in the reply so far, including the closing one. */
  events = 0;
  /** Whether the first token has arrived. */
  started = false;
  #head = '';
  #inBody = false;
  #status = 0;
  #streamed = false;
  /** Bytes of the body still to come. Undefined for a chunked body. */
  #missing: number | undefined;
  readonly #tail = Buffer.alloc(TAIL_BYTES);
  #tailLength = 0;
  /** The end of one read and the beginning of the next. */
  readonly #boundary = Buffer.alloc(2 * EVENT.length);

  /** Returns the result of the reply when these bytes complete it. */
  read(bytes: Buffer): ReplyEnd | undefined {
    if (this.#inBody) return this.#readBody(bytes);
    const end = bytes.indexOf(HEAD_END);
    const whole = this.#head === '' && end !== -1;
    this.#head += bytes.toString('latin1', 0, whole ? end + 4 : bytes.length);
    const headEnd = this.#head.indexOf('\r\n\r\n');
    if (headEnd === -1) {
      if (this.#head.length > LONGEST_HEAD) return this.#finish('incomplete');
      return undefined;
    }
    const extra = whole
      ? bytes.subarray(end + 4)
      : Buffer.from(this.#head.slice(headEnd + 4), 'latin1');
    this.#beginBody(this.#head.slice(0, headEnd));
    if (this.#missing === 0) return this.#finish('whole');
    return extra.length === 0 ? undefined : this.#readBody(extra);
  }

  /** Call it when the connection ends. A reply that has begun is then incomplete. */
  breakOff(): ReplyEnd | undefined {
    if (!this.#inBody && this.#head === '') return undefined;
    return this.#finish('incomplete');
  }

  #beginBody(head: string): void {
    this.#status = Number(head.slice(9, 12));
    this.#streamed = /^content-type: *text\/event-stream/im.test(head);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    this.#missing = length === undefined ? undefined : Number(length);
    this.#inBody = true;
    this.#head = '';
    // The head ends with this line break. An event mark, and the end of an empty body, begin with it.
    this.#tail.write('\r\n', 'latin1');
    this.#tailLength = 2;
  }

  #readBody(bytes: Buffer): ReplyEnd | undefined {
    if (this.#streamed) this.#countEvents(bytes);
    // Only a reply with status 200 carries tokens.
    else if (this.#status === 200) this.started = true;
    this.#keepTail(bytes);
    if (this.#missing !== undefined) {
      this.#missing -= bytes.length;
      return this.#missing > 0 ? undefined : this.#finish('whole');
    }
    return this.#endsWith(BODY_END) ? this.#finish('whole') : undefined;
  }

  #countEvents(bytes: Buffer): void {
    this.events += this.#eventsAtBoundary(bytes);
    let at = bytes.indexOf(EVENT);
    while (at !== -1) {
      this.events += 1;
      at = bytes.indexOf(EVENT, at + EVENT.length);
    }
    if (!this.started) this.started = TOKEN.test(bytes.toString('latin1'));
  }

  /** Counts an event whose mark is split between two reads. */
  #eventsAtBoundary(bytes: Buffer): number {
    const before = Math.min(EVENT.length - 1, this.#tailLength);
    const after = Math.min(EVENT.length - 1, bytes.length);
    this.#tail.copy(this.#boundary, 0, this.#tailLength - before, this.#tailLength);
    bytes.copy(this.#boundary, before, 0, after);
    return this.#boundary.subarray(0, before + after).includes(EVENT) ? 1 : 0;
  }

  #keepTail(bytes: Buffer): void {
    if (bytes.length >= TAIL_BYTES) {
      bytes.copy(this.#tail, 0, bytes.length - TAIL_BYTES);
      this.#tailLength = TAIL_BYTES;
      return;
    }
    const kept = Math.min(this.#tailLength, TAIL_BYTES - bytes.length);
    this.#tail.copyWithin(0, this.#tailLength - kept, this.#tailLength);
    bytes.copy(this.#tail, kept);
    this.#tailLength = kept + bytes.length;
  }

  #endsWith(mark: Buffer): boolean {
    const start = this.#tailLength - mark.length;
    return start >= 0 && this.#tail.compare(mark, 0, mark.length, start, this.#tailLength) === 0;
  }

  #finish(arrived: 'whole' | 'incomplete'): ReplyEnd {
    const done = !this.#streamed || this.#tail.subarray(0, this.#tailLength).includes(DONE);
    const end = { status: this.#status, complete: arrived === 'whole' && done };
    this.#inBody = false;
    this.#head = '';
    this.#tailLength = 0;
    return end;
  }

  /** Prepares for the next reply on the same connection. */
  reset(): void {
    this.events = 0;
    this.started = false;
  }
}
