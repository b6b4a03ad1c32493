import { commands } from './commands/index.ts';
import { runCommandLine } from './run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands,
  environment: process.env,
  folder: process.cwd(),
  print: console.log,
  printError: console.error,
});
