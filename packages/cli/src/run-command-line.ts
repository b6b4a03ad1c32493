import { RpcError } from '@sluice/rpc';
import {
  CommandFailure,
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_USAGE,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts';

export interface CommandLineContext extends CommandContext {
  readonly commands: readonly Command[];
}

/** Finds the command, runs it, and turns what it threw into a line and an exit code. */
export async function runCommandLine(
  parameters: readonly string[],
  { commands, ...context }: CommandLineContext,
): Promise<number> {
  const [word, ...rest] = parameters;
  if (word === undefined || word === 'help' || word.startsWith('-')) {
    return showHelp(parameters, commands);
  }
  const command = commands.find(({ name }) => name === word);
  if (command === undefined) {
    console.error(`sluice: there is no command '${word}'; 'sluice --help' lists them`);
    return EXIT_USAGE;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(command.help.trim());
    return EXIT_DONE;
  }
  try {
    return await command.run(rest, context);
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`sluice ${command.name}: ${error.message}`);
      return EXIT_USAGE;
    }
    if (error instanceof CommandFailure || error instanceof RpcError) {
      console.error(`sluice ${command.name}: ${error.message}`);
      return EXIT_FAILED;
    }
    throw error;
  }
}

function showHelp(parameters: readonly string[], commands: readonly Command[]): number {
  const [word, name] = parameters;
  if (word === 'help' && name !== undefined) {
    const command = commands.find((candidate) => candidate.name === name);
    if (command !== undefined) {
      console.log(command.help.trim());
      return EXIT_DONE;
    }
    console.error(`sluice: there is no command '${name}'; 'sluice --help' lists them`);
    return EXIT_USAGE;
  }
  const asked = word === 'help' || word === '--help' || word === '-h';
  const width = Math.max(...commands.map(({ name: commandName }) => commandName.length));
  const lines = commands.map(
    ({ name: commandName, summary }) => `  ${commandName.padEnd(width)}  ${summary}`,
  );
  const text = `Usage: sluice COMMAND [OPTIONS]\n\nCommands:\n${lines.join('\n')}\n\n'sluice COMMAND --help' says more about one.`;
  if (asked) {
    console.log(text);
    return EXIT_DONE;
  }
  if (word !== undefined) {
    console.error(`sluice: a command comes first, then its options; not '${word}'\n`);
  }
  console.error(text);
  return EXIT_USAGE;
}
