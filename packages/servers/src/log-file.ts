import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs';

/** When a log reaches this size, it is copied to one older file and emptied. */
const LIMIT_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY_MS = 2_000;
const TAIL_BYTES = 64 * 1024;

/**
 * The log of a child process. The child writes to the file directly: its output does not pass through this process. The
 * log of the previous run is kept with the suffix `.1`.
 */
export interface LogFile extends Disposable {
  readonly path: string;
  readonly descriptor: number;
  /** The present size. Pass it to `textSince` later to read what was written in between. */
  size(): number;
  /** The text from a position to the end of the file. If it is longer than 64 KiB, only its end. */
  textSince(from: number): string;
}

export function openLogFile(path: string, { limitBytes = LIMIT_BYTES } = {}): LogFile {
  const older = `${path}.1`;
  try {
    renameSync(path, older);
  } catch {
    // There is no log of a previous run.
  }
  // In append mode, every write goes to the end of the file, also after the file was emptied.
  const descriptor = openSync(path, 'a+', 0o600);
  const size = () => fstatSync(descriptor).size;
  const rotateIfFull = () => {
    if (size() < limitBytes) return;
    try {
      copyFileSync(path, older);
    } catch {
      // The disk is full, or the folder was removed. The process continues, and the older part is lost.
    }
    ftruncateSync(descriptor);
  };
  const timer = setInterval(rotateIfFull, CHECK_EVERY_MS).unref();
  return {
    path,
    descriptor,
    size,
    textSince: (from) => {
      const end = size();
      // If the file was emptied, the position no longer exists.
      const start = Math.max(from > end ? 0 : from, end - TAIL_BYTES);
      const bytes = Buffer.alloc(end - start);
      const length = readSync(descriptor, bytes, 0, bytes.length, start);
      return bytes.toString('utf8', 0, length);
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      closeSync(descriptor);
    },
  };
}
