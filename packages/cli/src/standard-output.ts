import { fstatSync, writeFileSync } from 'node:fs';
import { errorCode } from './error-code.ts';

export interface StandardOutput {
  readonly print: (text: string) => void;
  /** Something of what was printed is lost. */
  readonly failed: boolean;
}

/**
 * A file is written here and not by Node's stream, which leaves out what a full disk does not take and says nothing:
 * a key that is shown once would be lost, by a command that succeeded. Whoever reads a pipe may leave when it is
 * enough.
 */
export function standardOutput(printError: (text: string) => void): StandardOutput {
  const { fd } = process.stdout;
  if (!fstatSync(fd).isFile()) return { print: console.log, failed: false };
  let failed = false;
  return {
    print: (text) => {
      try {
        writeFileSync(fd, `${text}\n`);
      } catch (error) {
        if (!failed) printError(`sluice: the output cannot be written (${errorCode(error)})`);
        failed = true;
      }
    },
    get failed() {
      return failed;
    },
  };
}
