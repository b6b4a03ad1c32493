const FIRST_CAPACITY = 16 * 1_024;
/** The longest of everything but a string: a tag and ten bytes. */
const LONGEST_FIELD = 16;
const LARGEST_IN_ONE_BYTE = 0x7f;

/** Writes messages of Protocol Buffers, one after another, into the same memory. Tags are of one byte. */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #view = viewOf(this.#bytes);
  #position = 0;

  uint32(tag: number, value: number): void {
    this.#reserve(LONGEST_FIELD);
    this.#byte(tag);
    this.#varint(value);
  }

  double(tag: number, value: number): void {
    this.#reserve(LONGEST_FIELD);
    this.#byte(tag);
    this.#view.setFloat64(this.#position, value, true);
    this.#position += 8;
  }

  string(tag: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(LONGEST_FIELD + length);
    this.#byte(tag);
    this.#varint(length);
    this.#bytes.write(value, this.#position);
    this.#position += length;
  }

  /** A message within this one: what is written until its end. Returns what `end` has to be given. */
  begin(tag: number): number {
    this.#reserve(LONGEST_FIELD);
    this.#byte(tag);
    this.#byte(0);
    return this.#position;
  }

  end(start: number): void {
    const length = this.#position - start;
    const more = bytesOfVarint(length) - 1;
    // Its length is known only now, and may take more room than the byte that was left for it.
    if (more > 0) {
      this.#reserve(more);
      this.#bytes.copyWithin(start + more, start, this.#position);
    }
    this.#position = start - 1;
    this.#varint(length);
    this.#position += length;
  }

  /** What was written, as bytes of its own; and the next message begins. */
  finish(): Buffer {
    const message = Buffer.from(this.#bytes.subarray(0, this.#position));
    this.#position = 0;
    return message;
  }

  #byte(value: number): void {
    this.#bytes[this.#position] = value;
    this.#position += 1;
  }

  #varint(value: number): void {
    let rest = value >>> 0;
    while (rest > LARGEST_IN_ONE_BYTE) {
      this.#byte((rest & LARGEST_IN_ONE_BYTE) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  #reserve(bytes: number): void {
    const needed = this.#position + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#position);
    this.#bytes = larger;
    this.#view = viewOf(larger);
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
