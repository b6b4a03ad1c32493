import { join } from 'node:path';
import type { Check } from './check.ts';
import { runCommand, TOOL_THREADS } from './run-command.ts';

// The tools are called by their path in `node_modules`, so that the check works without a package manager on the PATH.
const toolPath = (root: string, tool: string): string => join(root, 'node_modules/.bin', tool);

function toolCheck(name: string, tool: string, ...toolArguments: string[]): Check {
  return {
    name,
    run: async (root) => {
      const { exitCode, output } = await runCommand(root, toolPath(root, tool), ...toolArguments);
      return exitCode === 0 ? { passed: true } : { passed: false, report: output };
    },
  };
}

export const format = toolCheck('format', 'oxfmt', '--check', '.');
export const lint = toolCheck('lint', 'oxlint', '--format=unix');
/** More checkers than the compiler's default would only take more memory. */
const CHECKERS = String(Math.min(4, TOOL_THREADS));

export const types = toolCheck(
  'types',
  'tsc',
  '--project',
  'tsconfig.json',
  '--checkers',
  CHECKERS,
);
/** The pages of the console run in a browser, with other types. */
export const typesOfPages = toolCheck(
  'types of pages',
  'tsc',
  '--project',
  'services/console/web/tsconfig.json',
);
export const deadCode = toolCheck('dead code', 'knip', '--no-progress', '--no-config-hints');

export const fixLint = toolCheck('lint fixes', 'oxlint', '--fix', '--quiet', '--silent');
export const fixFormat = toolCheck('format fixes', 'oxfmt', '.');
