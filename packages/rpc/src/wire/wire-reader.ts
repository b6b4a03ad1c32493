import { WIRE_TYPE } from './wire-types.ts';

/** Bytes that are no message of Protocol Buffers, or only the beginning of one. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

const LONGEST_VARINT = 10;

/** Reads one message of Protocol Buffers, field by field, in whatever order its writer chose. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Where the whole message ends. */
  get end(): number {
    return this.#bytes.length;
  }

  /** Whether the message that ends there has another field. */
  hasMore(end: number): boolean {
    if (this.#position > end) throw new MalformedMessageError('a field reaches beyond its message');
    return this.#position < end;
  }

  /** Number of the next field, times eight, and the type of its value. */
  tag(): number {
    return this.uint32();
  }

  /** The lowest 32 bits: an integer of 64 may be negative, and then has ten bytes. */
  uint32(): number {
    let value = 0;
    for (let index = 0; index < LONGEST_VARINT; index += 1) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new MalformedMessageError('the message is cut off');
      this.#position += 1;
      if (index < 5) value |= (byte & 0x7f) << (7 * index);
      if (byte < 0x80) return value >>> 0;
    }
    throw new MalformedMessageError('a number has no end');
  }

  double(): number {
    const start = this.#advance(8);
    return this.#view.getFloat64(start, true);
  }

  string(): string {
    const length = this.uint32();
    const start = this.#advance(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  /** Enters a message within this one: where it ends. */
  enter(): number {
    const length = this.uint32();
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new MalformedMessageError('the message is cut off');
    return end;
  }

  /** Passes over the value of a field that is not known here. Groups, which proto3 does not have, are malformed. */
  skip(tag: number): void {
    switch (tag & 7) {
      case WIRE_TYPE.varint:
        this.uint32();
        return;
      case WIRE_TYPE.fixed64:
        this.#advance(8);
        return;
      case WIRE_TYPE.lengthDelimited:
        this.#advance(this.uint32());
        return;
      case WIRE_TYPE.fixed32:
        this.#advance(4);
        return;
      default:
        throw new MalformedMessageError('a field has a value of no known type');
    }
  }

  #advance(bytes: number): number {
    const start = this.#position;
    if (start + bytes > this.#bytes.length) {
      throw new MalformedMessageError('the message is cut off');
    }
    this.#position = start + bytes;
    return start;
  }
}
