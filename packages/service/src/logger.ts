import { writeSync } from 'node:fs';
import { pino, stdTimeFunctions, type DestinationStream, type LogFn, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Buffered lines are written after `MAX_WAIT_MS`, or when they have `MAX_BUFFERED_CHARACTERS`. */
const MAX_WAIT_MS = 100;
const MAX_BUFFERED_CHARACTERS = 8_192;
/** Pino's number for the level `warn`: https://github.com/pinojs/pino/blob/main/docs/api.md#level-string. */
const WARNING = 40;
/** Makes pino set `lastLevel` before each write: https://github.com/pinojs/pino/blob/main/docs/api.md#metadata. */
const WITH_LEVEL = Symbol.for('pino.metadata');

interface LevelledDestination extends DestinationStream {
  readonly [WITH_LEVEL]: true;
  lastLevel: number;
}

/**
 * Standard output that buffers lines and writes many at a time, because one write per line would cost too much with one
 * line per request. Warnings are written at once, and a normal exit loses nothing. A process that is killed may lose
 * the lines of the last tenth of a second.
 */
function bufferedOutput(): DestinationStream {
  shared ??= openBufferedOutput();
  return shared;
}

let shared: DestinationStream | undefined;

function openBufferedOutput(): DestinationStream {
  let buffered = '';
  let waiting: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(waiting);
    waiting = undefined;
    if (buffered === '') return;
    const lines = buffered;
    buffered = '';
    writeOut(lines);
  };
  process.once('exit', flush);
  const destination: LevelledDestination = {
    [WITH_LEVEL]: true,
    lastLevel: 0,
    write: (line) => {
      buffered += line;
      if (destination.lastLevel >= WARNING || buffered.length >= MAX_BUFFERED_CHARACTERS) flush();
      else waiting ??= setTimeout(flush, MAX_WAIT_MS).unref();
    },
  };
  return destination;
}

const STANDARD_OUTPUT = 1;
const RETRY_AFTER_MS = 100;
// No thread ever wakes a waiter on this cell, so `Atomics.wait` on it is a synchronous sleep.
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes to standard output, and waits while the pipe is full. Lines that cannot be written are lost: if the disk is
 * full or the reader has ended, the service continues without its log.
 */
function writeOut(lines: string): void {
  let rest = Buffer.from(lines);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isBusy) return;
      Atomics.wait(sleepCell, 0, 0, RETRY_AFTER_MS);
    }
  }
}

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Standard output by default. Tests pass their own. */
  readonly destination?: DestinationStream;
}

/**
 * Writes JSON lines. An error is logged with its name, its code and the locations of its stack, but without its
 * message. The message may quote the input that caused it, and prompts and answers must never reach a log.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
    hooks: { logMethod: logWithoutErrorMessage },
  };
  return pino(options, destination ?? bufferedOutput());
}

/** Passes an empty message if a line has none. Otherwise pino would use the message of a logged error. */
function logWithoutErrorMessage(this: Logger, given: Parameters<LogFn>, log: LogFn): void {
  const first: unknown = given[0];
  if (typeof first === 'object' && given[1] === undefined) log.call(this, first, '');
  else log.apply(this, given);
}

interface DescribedError {
  readonly name: string;
  readonly code?: string;
  readonly at: string[];
  readonly cause?: DescribedError;
}

function describeError(thrown: unknown): DescribedError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, at: [] };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return {
    name: thrown.name,
    ...(code === undefined ? {} : { code }),
    at: stackPlaces(thrown),
    ...(thrown.cause === undefined ? {} : { cause: describeError(thrown.cause) }),
  };
}

const MAX_STACK_LINES = 8;

/** The first "at …" lines of a stack. The message is cut off before, because it may contain similar lines. */
function stackPlaces({ stack = '', message }: Error): string[] {
  return stack
    .slice(endOfHeading(stack, message))
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_STACK_LINES);
}

/**
 * The position after the message. If the message cannot be found, every line may be a part of it, so this is the end of
 * the stack. That happens if the message was changed later: the stack keeps the first message.
 */
function endOfHeading(stack: string, message: string): number {
  if (message === '') {
    const hasNameOnly = /^[^:\n]*(?:: )?\n/.test(stack);
    return hasNameOnly ? 0 : stack.length;
  }
  const start = stack.indexOf(message);
  return start === -1 ? stack.length : start + message.length;
}
