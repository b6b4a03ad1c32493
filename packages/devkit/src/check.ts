import { join } from 'node:path';
import { checkRepository } from './check-repository.ts';
import { HELP, readParameters } from './read-parameters.ts';

const parameters = process.argv.slice(2);
const wish = readParameters(parameters);
if (wish === 'help') console.log(HELP);
else if (wish === undefined) {
  console.error(`npm run check: it takes no '${parameters.join(' ')}'; see --help`);
  process.exitCode = 2;
} else {
  const root = join(import.meta.dirname, '../../..');
  process.exitCode = await checkRepository(root, { fix: wish === 'fix' });
}
