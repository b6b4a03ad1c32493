/** The peer is no ZMTP 3 publisher, demands authentication, or refuses the subscriber. */
export class ZmtpError extends Error {
  override readonly name = 'ZmtpError';
}

const GREETING_BYTES = 64;
const MECHANISM = Buffer.from('NULL');
const MAJOR_VERSION_AT = 10;
const MECHANISM_AT = 12;
const MECHANISM_BYTES = 20;

/** Signature, version 3.0, the mechanism without authentication, and zeros. */
export const GREETING = greeting();

function greeting(): Buffer {
  const bytes = Buffer.alloc(GREETING_BYTES);
  // The signature begins with 0xff and ends with 0x7f. The major version follows.
  bytes[0] = 0xff;
  bytes[9] = 0x7f;
  bytes[MAJOR_VERSION_AT] = 3;
  MECHANISM.copy(bytes, MECHANISM_AT);
  return bytes;
}

const FLAG_MORE = 1;
const FLAG_LONG = 2;
const FLAG_COMMAND = 4;

export const READY = command('READY', property('Socket-Type', 'SUB'));
/** A frame of one byte: 1 means "subscribe". The topic after it is empty, which matches all messages. */
export const SUBSCRIBE_TO_ALL = Buffer.from([0, 1, 1]);

function command(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), data]);
  return Buffer.concat([Buffer.from([FLAG_COMMAND, body.length]), body]);
}

function property(name: string, value: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
}

/** Far more than the events of one step of vLLM, which have a few kilobytes. */
const MAX_FRAME_BYTES = 16 * 1_024 * 1_024;

export interface FrameHandlers {
  /** The publisher has accepted the connection. */
  readonly onReady: () => void;
  readonly onMessage: (parts: readonly Buffer[]) => void;
}

/** Parses the bytes that a publisher sends: its greeting, then commands and messages. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  #unread: Buffer = Buffer.alloc(0);
  #greeted = false;
  #parts: Buffer[] = [];

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  /** Throws a ZmtpError if the bytes cannot be understood. */
  read(chunk: Buffer): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    if (!this.#greeted && !this.#readGreeting()) return;
    while (this.#readFrame());
  }

  #readGreeting(): boolean {
    const bytes = this.#unread;
    if (bytes.length > 0 && bytes[0] !== 0xff) throw new ZmtpError('the peer is no ZeroMQ socket');
    if (bytes.length < GREETING_BYTES) return false;
    const mechanism = bytes.subarray(MECHANISM_AT, MECHANISM_AT + MECHANISM_BYTES);
    if ((bytes[MAJOR_VERSION_AT] ?? 0) < 3) {
      throw new ZmtpError('the publisher is older than ZMTP 3');
    }
    if (!mechanism.subarray(0, MECHANISM.length + 1).equals(Buffer.from('NULL\0'))) {
      throw new ZmtpError('the publisher demands authentication');
    }
    this.#unread = bytes.subarray(GREETING_BYTES);
    this.#greeted = true;
    return true;
  }

  /** Returns false if the next frame is not complete yet. */
  #readFrame(): boolean {
    const bytes = this.#unread;
    const flags = bytes[0] ?? 0;
    const isLong = (flags & FLAG_LONG) !== 0;
    // After the byte of flags, the length has eight bytes or one.
    const start = isLong ? 9 : 2;
    if (bytes.length < start) return false;
    const length = isLong ? Number(bytes.readBigUInt64BE(1)) : bytes.readUInt8(1);
    if (length > MAX_FRAME_BYTES) throw new ZmtpError('a frame is too large');
    if (bytes.length < start + length) return false;
    const body = bytes.subarray(start, start + length);
    this.#unread = bytes.subarray(start + length);
    if ((flags & FLAG_COMMAND) !== 0) this.#command(body);
    else this.#part(body, (flags & FLAG_MORE) !== 0);
    return true;
  }

  #command(body: Buffer): void {
    const name = body.toString('latin1', 1, 1 + (body[0] ?? 0));
    if (name === 'READY') this.#handlers.onReady();
    else if (name === 'ERROR') throw new ZmtpError('the publisher refuses the connection');
  }

  #part(body: Buffer, isFollowed: boolean): void {
    this.#parts.push(body);
    if (isFollowed) return;
    const parts = this.#parts;
    this.#parts = [];
    this.#handlers.onMessage(parts);
  }
}
