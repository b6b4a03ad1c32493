/**
 * The encoding of a field's value, from the lowest three bits of its tag:
 * https://protobuf.dev/programming-guides/encoding/#structure
 */
const WIRE_TYPE = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

const MAX_FIELD_NUMBER = 15;

/**
 * The tag before a field's value: the field number and the type, in the single byte that the writer reserves for it.
 */
export function tagOf(field: number, type: keyof typeof WIRE_TYPE): number {
  if (field > MAX_FIELD_NUMBER) throw new RangeError(`field ${field} needs a tag of two bytes`);
  return (field << 3) | WIRE_TYPE[type];
}

/** The bytes are not a complete Protocol Buffers message. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

const MAX_VARINT_BYTES = 10;

/** Reads one Protocol Buffers message field by field, in the order of its writer. */
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

  /** Whether the message that ends at this position has another field. */
  hasMore(end: number): boolean {
    if (this.#position > end) throw new MalformedMessageError('a field reaches beyond its message');
    return this.#position < end;
  }

  /** Reads the tag of the next field: its number times eight, plus the type of its value. */
  tag(): number {
    return this.uint32();
  }

  /** Returns the lowest 32 bits. A negative 64-bit integer takes ten bytes. */
  uint32(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
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

  /** Enters an embedded message. Returns where it ends. */
  enter(): number {
    const length = this.uint32();
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new MalformedMessageError('the message is cut off');
    return end;
  }

  /** Skips the value of an unknown field. Groups, which proto3 does not have, are malformed. */
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
