import { pino, stdTimeFunctions, type DestinationStream, type LogFn, type Logger } from 'pino';
import { gatheringOutput } from './log-destination.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Standard output unless a test wants to read what was written. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines. Errors are written by name, code and stack of our own code only: an error's
 * message may quote what it choked on, and prompts and answers never reach a log.
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
  return pino(options, destination ?? gatheringOutput());
}

/** Left alone, pino takes an error's message for the line's when a line has none of its own. */
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

/** The "at …" lines alone. The message comes before them, and may have such lines of its own. */
function stackPlaces({ stack = '', message }: Error): string[] {
  return stack
    .slice(endOfHeading(stack, message))
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8);
}

/** Where the message ends. Without it the heading cannot be told from places, so all of it is heading. */
function endOfHeading(stack: string, message: string): number {
  if (message === '') return /^[^:\n]*(?:: )?\n/.test(stack) ? 0 : stack.length;
  const start = stack.indexOf(message);
  return start === -1 ? stack.length : start + message.length;
}
