import type { ParseArgsOptionsConfig } from 'node:util';
import {
  EXIT_DONE,
  parseOptions,
  type Command,
  type CommandContext,
  type Format,
} from './command.ts';
import { OUTPUT_OPTIONS, formatted, readFormat, type Shown } from './output/formats.ts';

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseOptions<Options>>;

/** The words of a command line, parsed. */
export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  readonly values: Parsed<Options>['values'];
  /** The words that are not options. */
  readonly positionals: readonly string[];
  /** The format that was chosen. `table` if the command has no `formats`. */
  readonly format: Format;
  /** Prints data in this format. */
  readonly show: (shown: Shown) => void;
}

export interface CommandDefinition<Options extends ParseArgsOptionsConfig> {
  /** The text of `sluice COMMAND --help`. */
  readonly help: string;
  readonly options: Options;
  /** The formats in which the command shows data. If they are set, the command has the options --output and --json. */
  readonly formats?: readonly Format[];
  /** What each argument may be: words, or a kind of the catalog whose ids are completed. */
  readonly words?: Command['words'];
  /** Returns the exit code, or nothing if it succeeded. */
  readonly run: (line: CommandLine<Options>, context: CommandContext) => Promise<number | void>;
}

/** A command whose options are declared, so that they are parsed, completed and corrected in one place. */
export function defineCommand<const Options extends ParseArgsOptionsConfig>({
  help,
  options,
  formats,
  words,
  run,
}: CommandDefinition<Options>): Command {
  const known: ParseArgsOptionsConfig =
    formats === undefined ? options : { ...options, ...OUTPUT_OPTIONS };
  return {
    help,
    options: known,
    formats,
    words,
    run: async (parameters, context) => {
      const { values, positionals } = parseOptions(parameters, known);
      const format = formats === undefined ? 'table' : readFormat(values, formats);
      const show = (shown: Shown) => context.print(formatted(shown, format, context.screen));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `known` holds all of `options`
      const given = values as Parsed<Options>['values'];
      return (await run({ values: given, positionals, format, show }, context)) ?? EXIT_DONE;
    },
  };
}
