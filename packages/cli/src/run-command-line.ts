import packageJson from '../package.json' with { type: 'json' };
import {
  CommandFailure,
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_USAGE,
  UsageError,
  type CommandContext,
  type CommandEntry,
} from './command.ts';
import { readGlobalOptions, type SplitLine } from './global-options.ts';
import { PLAIN_SCREEN } from './screen.ts';
import { suggestion } from './suggestion.ts';

export interface CommandLineContext extends CommandContext {
  readonly commands: readonly CommandEntry[];
}

/** Finds and runs the command. A UsageError or CommandFailure becomes a line and an exit code. */
export async function runCommandLine(
  parameters: readonly string[],
  { commands, ...context }: CommandLineContext,
): Promise<number> {
  let name = 'sluice';
  try {
    const line = readGlobalOptions(parameters);
    const entry = findCommand(line, commands);
    if (entry === undefined) return withoutCommand(line, { commands, ...context });
    name = `sluice ${entry.name}`;
    const command = await entry.load();
    if (line.word === 'help' || asksForHelp(line)) {
      context.print(command.help.trim());
      return EXIT_DONE;
    }
    const { screen = PLAIN_SCREEN } = context;
    return await command.run(line.rest, {
      ...context,
      contextName: line.contextName,
      screen: line.noColour ? { ...screen, colour: false } : screen,
    });
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof CommandFailure)) throw error;
    context.printError(`${name}: ${error.message}`);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** The command that is named, also after `help`. Undefined if none is named. */
function findCommand(
  { word, rest }: SplitLine,
  commands: readonly CommandEntry[],
): CommandEntry | undefined {
  const name = word === 'help' ? rest.find((other) => !other.startsWith('-')) : word;
  if (name === undefined) return undefined;
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const meant = suggestion(
    name,
    visible(commands).map((known) => known.name),
  );
  throw new UsageError(
    `there is no command '${name}'${meant === '' ? "; 'sluice --help' lists them" : meant}`,
  );
}

function withoutCommand(
  line: SplitLine,
  { commands, print, printError }: CommandLineContext,
): number {
  if (line.word === 'help' || asksForHelp(line)) {
    print(listing(commands));
    return EXIT_DONE;
  }
  if (line.rest.includes('--version')) {
    print(`sluice ${packageJson.version}`);
    return EXIT_DONE;
  }
  printError(listing(commands));
  return EXIT_USAGE;
}

function asksForHelp({ rest }: SplitLine): boolean {
  const end = rest.indexOf('--');
  const options = end < 0 ? rest : rest.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

/** Commands for programs have no summary and are not listed. */
function visible(commands: readonly CommandEntry[]): readonly CommandEntry[] {
  return commands.filter(({ summary }) => summary !== '');
}

function listing(commands: readonly CommandEntry[]): string {
  const shown = visible(commands);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: sluice COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

Options of every command, also before its name:
  --context NAME    the deployment, as named with 'sluice context add'
  --no-color        no colour; NO_COLOR does the same
  -h, --help        describe the command
  --version         show the version`;
}
