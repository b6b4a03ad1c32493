import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** A wrong command line. It is reported in one line, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  parameters: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...parameters], options, allowPositionals: false, strict: true })
      .values;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(describeMistake(error.message));
  }
}

/** Turns an error of `node:util`'s `parseArgs` into a sentence that names the help. */
function describeMistake(message: string): string {
  const [, word = 'an option'] = /'([^ '=]+)/.exec(message) ?? [];
  if (message.startsWith('Unexpected argument')) {
    return `it takes options only, not '${word}'; see --help`;
  }
  if (message.startsWith('Unknown option')) return `there is no option ${word}; --help lists them`;
  if (message.includes('does not take an argument')) return `${word} takes no value; see --help`;
  return `${word} needs a value; see --help`;
}

export function wholeNumber(
  name: string,
  text: string,
  { least, most }: { least: number; most: number },
): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}, not '${text}'`);
}

/** The help text of `measuringOptions`. */
export function measuringOptionsHelp(rounds: number): string {
  return `  --rounds N    number of rounds (${rounds})
  --json        the result as JSON
  --help        this text`;
}

/** Options of the commands that repeat one measurement in rounds. */
export function measuringOptions(
  parameters: readonly string[],
  defaultRounds: number,
): { readonly rounds: number; readonly json: boolean } {
  const { rounds, json } = parseOptions(parameters, {
    rounds: { type: 'string', default: String(defaultRounds) },
    json: { type: 'boolean', default: false },
  });
  return { rounds: wholeNumber('--rounds', rounds, { least: 1, most: 100 }), json };
}

export interface CommandContext {
  /** Resources to release, in reverse order, when the command ends or is interrupted. */
  readonly cleanUp: AsyncDisposableStack;
  /** Writes a line of progress to standard error. */
  readonly say: (line: string) => void;
  /** Writes the result to standard output. */
  readonly print: (text: string) => void;
}

export interface Command {
  /** What `--help` shows. */
  readonly help: string;
  /** Returns the exit code. */
  run(parameters: readonly string[], context: CommandContext): Promise<number>;
}
