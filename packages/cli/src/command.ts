import type { Readable, Writable } from 'node:stream';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { ResourceKind } from '@sluice/contracts';
import { optionMistake } from './option-mistake.ts';
import type { Screen } from './screen.ts';

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths on the command line refer to. */
  readonly folder: string;
  /** The folder that contains the default state folder, if it is not `folder`. */
  readonly home?: string;
  /** Prints results to standard output. */
  readonly print: (text: string) => void;
  /** Prints errors and notes to standard error. */
  readonly printError: (text: string) => void;
  /** The terminal, for interactive commands. Absent if the caller has none, as in some tests. */
  readonly terminal?: Terminal;
  /** What the output can show. By default, what a file or a pipe can: no colours, and lines of any length. */
  readonly screen?: Screen;
  /** The value of --context: the name of a deployment in the file of contexts. */
  readonly contextName?: string | undefined;
}

export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** Input and output are a terminal. */
  readonly interactive: boolean;
  /** Calls the listener on Ctrl-C instead of ending the process. Returns a function that removes the listener. */
  onInterrupt(listener: () => void): () => void;
}

/** A command by its name. */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list in `sluice --help`. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** What an argument may be. */
export interface ArgumentWords {
  readonly words?: readonly string[];
  /** The id of an entry of the catalog: of this kind, or of the kind that the previous argument names. */
  readonly idOf?: ResourceKind | 'kind before';
}

/** How data is shown. */
export type Format = 'table' | 'json' | 'yaml' | 'csv';

/** The implementation of a command, loaded when it is used. */
export interface Command {
  /** The text of `sluice COMMAND --help`. */
  readonly help: string;
  /** For completion. */
  readonly options?: ParseArgsOptionsConfig;
  readonly formats?: readonly Format[] | undefined;
  /** For completion: what each argument may be. */
  readonly words?: readonly ArgumentWords[] | undefined;
  /** Returns the exit code. */
  run(parameters: readonly string[], context: CommandContext): Promise<number>;
}

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** A mistake in the command line, or an unusable folder. Printed as one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was valid but failed. Printed as a message that says what to do, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/**
 * `parseArgs` of node:util with its errors as UsageError. An option that is given twice is an error unless it is
 * declared as `multiple`.
 */
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
    throw new UsageError(optionMistake(error, Object.keys(options)));
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
