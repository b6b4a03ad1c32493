import type { Writable } from 'node:stream';
import type { Terminal } from './command.ts';

/** Where this process was started. */
export function processTerminal(output: Writable): Terminal {
  // A getter each: asking for standard input opens it, which most commands have no need of.
  return {
    get input() {
      return process.stdin;
    },
    output,
    get errors() {
      return process.stderr;
    },
    get interactive() {
      return process.stdin.isTTY && process.stdout.isTTY;
    },
    onInterrupt: (listener) => {
      process.on('SIGINT', listener);
      return () => process.off('SIGINT', listener);
    },
  };
}
