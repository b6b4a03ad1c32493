import { fstatSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { errorCode } from './error-code.ts';

export interface StandardOutput {
  readonly stream: Writable;
  readonly print: (text: string) => void;
  /** A part of the output could not be written. */
  readonly failed: boolean;
}

/** Reports write errors once. EPIPE is ignored: the reader of a pipe may stop early, as `head` does. */
export function standardOutput(printError: (text: string) => void): StandardOutput {
  const stream = outputStream();
  let failed = false;
  stream.on('error', (error) => {
    const code = errorCode(error);
    if (failed || code === 'EPIPE') return;
    failed = true;
    printError(`sluice: the output cannot be written (${code})`);
  });
  return {
    stream,
    print: (text) => void stream.write(`${text}\n`),
    get failed() {
      return failed;
    },
  };
}

/**
 * Node ignores that a full disk takes only a part of a write to a file (https://github.com/nodejs/node/issues/12921).
 * An API key is shown only once, so it would be lost although the command succeeds. For files and devices,
 * `writeFileSync` writes everything or fails.
 */
function outputStream(): Writable {
  const { fd } = process.stdout;
  const target = fstatSync(fd);
  if (target.isFIFO() || target.isSocket() || isatty(fd)) return process.stdout;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        writeFileSync(fd, chunk);
      } catch (error) {
        // Emitted instead of passed to `done`, which would end the stream: there may be room for the next line.
        this.emit('error', error);
      }
      done();
    },
  });
}
