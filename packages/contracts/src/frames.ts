/**
 * Frames carry the progress of one attempt from the worker to the gateway. A bus message holds all frames that one turn
 * of the worker's event loop produced for the attempt.
 *
 * Layout of a frame: kind (1 byte), number (4, big-endian), length (4, big-endian), body. Bodies are JSON. The gateway
 * copies the bytes of `delta` and `usage` bodies into the client's reply without parsing them. In a stream, a body
 * therefore contains no line break, and none of the other line ends of Unicode.
 */
export const FrameKind = {
  /** The worker took the job: `{load}`. */
  accepted: 1,
  /**
   * The worker returns the job unserved: `{reason, load, retry_after_ms}`. It is the first frame, or it follows
   * `accepted` while the job waits for a slot. A waiting job is returned if a job of another organization took its
   * place, if the worker drains, if its runtime is down, or if its runtime no longer has the model.
   */
  refused: 2,
  /** The runtime accepted the request. Empty. Sent only for streams, so that the gateway can send the status line. */
  started: 3,
  /** A `delta` object. For a job that does not stream, the whole `message` object. */
  delta: 4,
  /** The `usage` object of the reply. */
  usage: 5,
  /** The attempt succeeded: `{finish_reason, load}`. */
  finished: 6,
  /** The attempt failed: `{reason, retryable, retry_after_ms, param}`. Earlier deltas are then not a full answer. */
  failed: 7,
  /** The worker is alive and still works on the attempt. Empty. */
  tick: 8,
} as const;

export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

/** Kind, number and length. */
export const FRAME_HEADER_BYTES = 9;
const EMPTY = Buffer.alloc(0);

/** If a worker has nothing to send for this long, it sends a tick. */
export const TICK_INTERVAL_MS = 2_000;
/** If no frame of an attempt arrives for this long, the attempt has failed. */
export const SILENCE_LIMIT_MS = 6_000;

export interface Frame {
  readonly kind: number;
  readonly body: Uint8Array;
}

export function frame(kind: FrameKind, body: Uint8Array = EMPTY): Frame {
  return { kind, body };
}

export function jsonFrame(kind: FrameKind, body: object): Frame {
  return { kind, body: Buffer.from(JSON.stringify(body)) };
}

/** Encodes consecutive frames as one message. The first frame has the given number. */
export function encodeFrames(firstNumber: number, frames: readonly Frame[]): Uint8Array {
  let size = 0;
  for (const { body } of frames) size += FRAME_HEADER_BYTES + body.length;
  const message = Buffer.allocUnsafe(size);
  let offset = 0;
  let number = firstNumber;
  for (const { kind, body } of frames) {
    message[offset] = kind;
    message.writeUInt32BE(number, offset + 1);
    message.writeUInt32BE(body.length, offset + 5);
    message.set(body, offset + FRAME_HEADER_BYTES);
    offset += FRAME_HEADER_BYTES + body.length;
    number += 1;
  }
  return message;
}

export class MalformedFrameError extends Error {
  override readonly name = 'MalformedFrameError';
}

/**
 * Calls `visit` for each frame of a message, in order, with the body as a view on the message. It takes a callback and
 * returns no list, because it runs for every token and would have to allocate the list.
 */
export function readFrames(
  message: Uint8Array,
  visit: (kind: number, number: number, body: Uint8Array) => void,
): void {
  let offset = 0;
  while (offset < message.length) {
    if (offset + FRAME_HEADER_BYTES > message.length) {
      throw new MalformedFrameError('a frame header is cut short');
    }
    const number = readUint32(message, offset + 1);
    const end = offset + FRAME_HEADER_BYTES + readUint32(message, offset + 5);
    if (end > message.length) throw new MalformedFrameError('a frame body is cut short');
    visit(message[offset] ?? 0, number, message.subarray(offset + FRAME_HEADER_BYTES, end));
    offset = end;
  }
}

function readUint32(bytes: Uint8Array, offset: number): number {
  const low =
    ((bytes[offset + 1] ?? 0) << 16) | ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0);
  return (bytes[offset] ?? 0) * 0x1_00_00_00 + low;
}
