import { constants } from 'node:os';
import { join } from 'node:path';
import { checkRepository } from './checks/check-repository.ts';
import { HELP, readParameters } from './checks/read-parameters.ts';
import { endCommands } from './checks/run-command.ts';

const parameters = process.argv.slice(2);
const mode = readParameters(parameters);
if (mode === 'help') console.log(HELP);
else if (mode === undefined) {
  console.error(`npm run check: it takes no '${parameters.join(' ')}'; see --help`);
  process.exitCode = 2;
} else {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endCommands();
      process.exit(128 + constants.signals[signal]);
    });
  }
  const root = join(import.meta.dirname, '../../..');
  process.exitCode = await checkRepository(root, { fix: mode === 'fix' });
}
