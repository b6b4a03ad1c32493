import { enableCompileCache } from 'node:module';
import { commands } from './commands/index.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { processTerminal } from './process-terminal.ts';
import { runCommandLine } from './run-command-line.ts';

enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? COMPILE_CACHE);
process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands,
  environment: process.env,
  folder: process.cwd(),
  print: console.log,
  printError: console.error,
  terminal: processTerminal(),
});
