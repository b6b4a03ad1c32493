export { commands } from './commands/index.ts';
export { runCommandLine } from './run-command-line.ts';
