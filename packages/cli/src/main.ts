import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { callFolder } from './call-folder.ts';
import { commands } from './commands/index.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { endProcess } from './end-process.ts';
import { processScreen, processTerminal } from './process-terminal.ts';
import { runCommandLine } from './run-command-line.ts';
import { standardOutput } from './standard-output.ts';

const root = join(import.meta.dirname, '../../..');

enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? COMPILE_CACHE);
const output = standardOutput(console.error);
const code = await runCommandLine(process.argv.slice(2), {
  commands,
  environment: process.env,
  folder: callFolder(process.cwd(), { root, environment: process.env }),
  home: root,
  print: output.print,
  printError: console.error,
  terminal: processTerminal(output.stream),
  screen: processScreen(),
});
await endProcess(code, output);
