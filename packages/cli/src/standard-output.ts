import { fstatSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { errorCode } from './error-code.ts';

export interface StandardOutput {
  readonly stream: Writable;
  readonly print: (text: string) => void;
  /** Something of what was printed is lost. */
  readonly failed: boolean;
}

/** Says what could not be written. Whoever reads a pipe may leave when it is enough. */
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
 * A file or device is written here and not by Node's stream, which leaves out what a full disk does not take and says
 * nothing: a key that is shown once would be lost, by a command that succeeded.
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
        // Told and not given to `done`, which would end the stream: there may be room for the next line.
        this.emit('error', error);
      }
      done();
    },
  });
}
