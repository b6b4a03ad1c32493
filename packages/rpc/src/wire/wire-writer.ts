const FIRST_CAPACITY = 16 * 1_024;
/** A buffer larger than this is released before the next message. */
const MAX_KEPT_BYTES = 1_024 * 1_024;
/** Room for a tag and a length or a number. */
const MAX_FIELD_BYTES = 9;
const MAX_IN_ONE_BYTE = 0x7f;

/** Writes Protocol Buffers messages one after another into the same buffer. */
export class WireWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #view = viewOf(this.#bytes);
  #position = 0;

  /** Begins a message. An unfinished message is discarded. */
  start(): void {
    this.#position = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#use(Buffer.allocUnsafeSlow(FIRST_CAPACITY));
  }

  uint32(tag: number, value: number): void {
    this.#reserve(MAX_FIELD_BYTES);
    this.#byte(tag);
    this.#varint(value);
  }

  double(tag: number, value: number): void {
    this.#reserve(MAX_FIELD_BYTES);
    this.#byte(tag);
    this.#view.setFloat64(this.#position, value, true);
    this.#position += 8;
  }

  string(tag: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(MAX_FIELD_BYTES + length);
    this.#byte(tag);
    this.#varint(length);
    this.#bytes.write(value, this.#position);
    this.#position += length;
  }

  /** Begins an embedded message. Pass the returned value to `end`. */
  begin(tag: number): number {
    this.#reserve(MAX_FIELD_BYTES);
    this.#byte(tag);
    this.#byte(0);
    return this.#position;
  }

  end(start: number): void {
    const length = this.#position - start;
    const more = bytesOfVarint(length) - 1;
    // The length is known only now, and may need more than the one byte reserved for it.
    if (more > 0) {
      this.#reserve(more);
      this.#bytes.copyWithin(start + more, start, this.#position);
    }
    this.#position = start - 1;
    this.#varint(length);
    this.#position += length;
  }

  /** Returns a copy of the written message. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#position));
  }

  #byte(value: number): void {
    this.#bytes[this.#position] = value;
    this.#position += 1;
  }

  #varint(value: number): void {
    let rest = value >>> 0;
    while (rest > MAX_IN_ONE_BYTE) {
      this.#byte((rest & MAX_IN_ONE_BYTE) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  #reserve(bytes: number): void {
    const needed = this.#position + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#position);
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

function bytesOfVarint(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
