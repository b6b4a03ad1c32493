import type { Writable } from 'node:stream';
import type { Terminal } from './command.ts';
import { PLAIN_SCREEN, type Screen } from './screen.ts';

/** The terminal of this process. */
export function processTerminal(output: Writable): Terminal {
  // Getters, because reading `process.stdin` opens standard input, which most commands do not need.
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

/** The screen that standard output is shown on. `hasColors` reads NO_COLOR and TERM. */
export function processScreen(): Screen {
  const { stdout } = process;
  if (!stdout.isTTY) return PLAIN_SCREEN;
  return { columns: stdout.columns, colour: stdout.hasColors() };
}
