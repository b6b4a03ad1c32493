import { destination, type DestinationStream } from 'pino';

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
  const output = destination({ dest: 1, sync: true });
  let gathered = '';
  let waiting: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(waiting);
    waiting = undefined;
    if (gathered === '') return;
    const lines = gathered;
    gathered = '';
    output.write(lines);
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
