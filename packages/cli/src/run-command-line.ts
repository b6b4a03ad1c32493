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

export interface CommandLineContext extends CommandContext {
  readonly commands: readonly CommandEntry[];
}

/** Finds and runs the command. A UsageError or CommandFailure becomes a line and an exit code. */
export async function runCommandLine(
  parameters: readonly string[],
  { commands, ...context }: CommandLineContext,
): Promise<number> {
  const { print, printError } = context;
  const [word, ...rest] = parameters;
  if (word === '--help' || word === '-h' || (word === 'help' && rest.length === 0)) {
    print(listing(commands));
    return EXIT_DONE;
  }
  if (word === '--version') {
    print(`sluice ${packageJson.version}`);
    return EXIT_DONE;
  }
  if (word === undefined || word.startsWith('-')) {
    if (word !== undefined) printError(`sluice: the command comes first, not '${word}'\n`);
    printError(listing(commands));
    return EXIT_USAGE;
  }
  const name = word === 'help' ? rest[0] : word;
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry === undefined) {
    printError(`sluice: there is no command '${name}'; 'sluice --help' lists them`);
    return EXIT_USAGE;
  }
  const command = await entry.load();
  if (word === 'help' || rest.includes('--help') || rest.includes('-h')) {
    print(command.help.trim());
    return EXIT_DONE;
  }
  try {
    return await command.run(rest, context);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof CommandFailure)) throw error;
    printError(`sluice ${entry.name}: ${error.message}`);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

function listing(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: sluice COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

'sluice COMMAND --help' describes a command, 'sluice --version' shows the version.`;
}
