import { destination, type DestinationStream } from 'pino';

/** A line waits at most this long, and no longer than until so much has gathered. */
const LONGEST_WAIT_MS = 100;
const GATHERED_BYTES = 8_192;
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
  const output = destination({ dest: 1, sync: true, minLength: GATHERED_BYTES });
  let waiting: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(waiting);
    waiting = undefined;
    output.flushSync();
  };
  process.once('exit', flush);
  const gathering: LevelledDestination = {
    [WITH_LEVEL]: true,
    lastLevel: 0,
    write: (line) => {
      output.write(line);
      if (gathering.lastLevel >= WARNING) flush();
      else waiting ??= setTimeout(flush, LONGEST_WAIT_MS).unref();
    },
  };
  return gathering;
}
