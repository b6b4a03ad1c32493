import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A line waits at most this long, and no longer than until so much has gathered. */
const LONGEST_WAIT_MS = 100;
const GATHERED_CHARACTERS = 8_192;
const WARNING = 40;
/** Asks pino to set `lastLevel` before each write. */
const WITH_LEVEL = Symbol.for('pino.metadata');

interface LevelledDestination extends DestinationStream {
  readonly [WITH_LEVEL]: true;
  lastLevel: number;
}

/**
 * Standard output, many lines a write: with a write of its own, a line for each request costs more than all
 * that it tells. Warnings go out at once, and nothing is lost at an exit; a process that is killed may lose
 * the last tenth of a second.
 */
export function gatheringOutput(): DestinationStream {
  shared ??= openGatheringOutput();
  return shared;
}

let shared: DestinationStream | undefined;

function openGatheringOutput(): DestinationStream {
  let gathered = '';
  let waiting: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(waiting);
    waiting = undefined;
    if (gathered === '') return;
    const lines = gathered;
    gathered = '';
    writeOut(lines);
  };
  process.once('exit', flush);
  const gathering: LevelledDestination = {
    [WITH_LEVEL]: true,
    lastLevel: 0,
    write: (line) => {
      gathered += line;
      if (gathering.lastLevel >= WARNING || gathered.length >= GATHERED_CHARACTERS) flush();
      else waiting ??= setTimeout(flush, LONGEST_WAIT_MS).unref();
    },
  };
  return gathering;
}

const STANDARD_OUTPUT = 1;
const BUSY_WAIT_MS = 100;
const never = new Int32Array(new SharedArrayBuffer(4));

/** What cannot be written is lost: a full disk or a reader that is gone is no reason to serve nobody. */
function writeOut(lines: string): void {
  let rest = Buffer.from(lines);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isBusy) return;
      Atomics.wait(never, 0, 0, BUSY_WAIT_MS);
    }
  }
}
