import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs';
import { join } from 'node:path';

/** A log is cut when it has grown to this, and one older part is kept. */
const LIMIT_BYTES = 8 * 1024 * 1024;
const LOOK_EVERY_MS = 2_000;
const TAIL_BYTES = 64 * 1024;

/** The log of one process, written by the process itself: nothing passes through here. */
export interface LogFile extends Disposable {
  readonly path: string;
  readonly descriptor: number;
  /** Its end now: the place to read from, later, what one start of the process wrote. */
  size(): number;
  lastLines(count: number, from: number): string[];
}

export function openLogFile(
  folder: string,
  name: string,
  { limitBytes = LIMIT_BYTES } = {},
): LogFile {
  const path = join(folder, `${name}.log`);
  const older = `${path}.1`;
  try {
    renameSync(path, older);
  } catch {
    // There was none.
  }
  // In append mode writers go on at the new end after a cut.
  const descriptor = openSync(path, 'a+', 0o600);
  const size = () => fstatSync(descriptor).size;
  const cut = () => {
    if (size() < limitBytes) return;
    try {
      copyFileSync(path, older);
    } catch {
      // The disk is full, or the folder was taken away: what runs goes on, without the older part.
    }
    ftruncateSync(descriptor);
  };
  const timer = setInterval(cut, LOOK_EVERY_MS).unref();
  return {
    path,
    descriptor,
    size,
    lastLines: (count, from) => {
      const end = size();
      // After a cut the place no longer exists.
      const start = Math.max(from > end ? 0 : from, end - TAIL_BYTES);
      const bytes = Buffer.alloc(end - start);
      const length = readSync(descriptor, bytes, 0, bytes.length, start);
      const lines = bytes.toString('utf8', 0, length).split('\n');
      return lines.filter((line) => line.trim() !== '').slice(-count);
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      closeSync(descriptor);
    },
  };
}
