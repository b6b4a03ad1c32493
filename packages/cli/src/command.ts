import type { Readable, Writable } from 'node:stream';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { optionMistake } from './option-mistake.ts';

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start that were given. */
  readonly folder: string;
  /** Where the usual state folder is, when that is another one. */
  readonly home?: string;
  /** What was asked for: a line, or several. */
  readonly print: (text: string) => void;
  /** What is said beside it. */
  readonly printError: (text: string) => void;
  /** For commands that talk while they run; absent where nobody is there to talk to. */
  readonly terminal?: Terminal;
}

export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** A person types and reads, no program. */
  readonly interactive: boolean;
  /** Ctrl-C, instead of ending the process. Returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
}

/** One word of the command line. */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** What a command does, in a file of its own. */
export interface Command {
  /** What `--help` shows. */
  readonly help: string;
  /** Gives the exit code. */
  run(parameters: readonly string[], context: CommandContext): Promise<number>;
}

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** A mistake of whoever typed the command, or a place that cannot be used: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was right and could not be carried out: a message that says what to do, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** node:util's parser, with its complaints as usage errors. No value is dropped for a later one. */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  parameters: readonly string[],
  options: Options,
) {
  const { tokens, ...parsed } = parse(parameters, options);
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue;
    if (given.has(token.name) && options[token.name]?.multiple !== true) {
      throw new UsageError(`--${token.name} is given twice`);
    }
    given.add(token.name);
  }
  return parsed;
}

function parse<const Options extends ParseArgsOptionsConfig>(
  parameters: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({
      args: [...parameters],
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(optionMistake(error));
  }
}

export function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) {
    throw new UsageError(`it takes options only, not '${positionals.join(' ')}'`);
  }
}

export function wholeNumber(
  name: string,
  text: string,
  { minimum, maximum }: { minimum: number; maximum: number },
): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new UsageError(
    `${name} must be a whole number from ${minimum} to ${maximum}, not '${text}'`,
  );
}
